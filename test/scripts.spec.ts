import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Checkout } from './support/checkout.js';
import { until } from './support/until.js';

let checkout: Checkout;
beforeEach(() => (checkout = new Checkout()));

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
    echo "$1" >> npm.log
    trap 'echo "$1 stopped" >> npm.log; exit 1' INT TERM HUP
    [ "$SLOW" ] && for step in 1 2 3 4 5 6 7 8 9 10; do sleep 1; done
    case $1 in
      ci) mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json;;
      *) mkdir -p dist/src/quickstart && touch dist/src/main.js
         echo "console.log('started')" > dist/src/quickstart/main.js
         node scripts/build-info.mjs;;
    esac`;
  const calls = (): string => checkout.read('npm.log');
  const start = (SLOW = ''): ReturnType<Checkout['start']> =>
    checkout.start('quickstart.mjs', {
      PATH: `${join(checkout.folder, 'bin')}:${process.env['PATH']}`,
      SLOW,
    });

  beforeEach(() => {
    checkout.write('package-lock.json', '{"packages":{"node_modules/a":{"version":"1.0.0"}}}');
    checkout.write('bin/npm', NPM);
    chmodSync(join(checkout.folder, 'bin/npm'), 0o755);
  });

  it('installs, builds and starts, and the next time only starts', async () => {
    for (let starts = 0; starts < 2; starts++) {
      const quickstart = start();
      expect(await quickstart.exited).toBe(0);
      expect(quickstart.output).toContain('started\n');
      expect(calls()).toBe('ci\nrun\n');
    }
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

it.each([
  [{ a: '1.0.0', b: '2.0.0' }, true],
  [{ a: '1.0.0' }, true], // b is optional
  [{ a: '1.0.1', b: '2.0.0' }, false],
  [{ b: '2.0.0' }, false],
  [{}, false],
])('a checkout with the packages %j is installed: %s', (present, isInstalled) => {
  const optional = { a: false, b: true };
  const packagesOf = (versions: Partial<Record<'a' | 'b', string>>): string =>
    JSON.stringify({
      packages: Object.fromEntries(
        Object.entries(versions).map(([name, version]) => [
          `node_modules/${name}`,
          { version, optional: optional[name as 'a' | 'b'] },
        ]),
      ),
    });
  checkout.write('package-lock.json', packagesOf({ a: '1.0.0', b: '2.0.0' }));
  checkout.write('node_modules/.package-lock.json', packagesOf(present));
  checkout.write(
    'scripts/ask.mjs',
    `import { isInstalled } from './lib/project.mjs'; console.log(isInstalled());`,
  );
  expect(checkout.run('ask.mjs').stdout).toBe(`${isInstalled}\n`);
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

it('on-postgres refuses an unknown version of PostgreSQL, and starts nothing', () => {
  expect(checkout.run('on-postgres.mjs', ['no-such-program.js', '--postgres=14'])).toMatchObject({
    status: 2,
    stderr: '--postgres takes a major version: 15, 16, 17, 18\n',
  });
});
