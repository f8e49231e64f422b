import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Checkout } from './support/checkout.js';
import { until } from './support/until.js';

describe('in a checkout in which nothing is installed', () => {
  let checkout: Checkout;

  beforeEach(() => (checkout = new Checkout()));

  describe.each([
    ['quickstart.mjs', 'npm run quickstart --', ['--port N', '--reset']],
    ['dev.mjs', 'npm run dev --', ['--port N']],
    ['sbom.mjs', 'npm run sbom --', ['--omit optional']],
  ])('%s', (script, call, options) => {
    it('explains itself, and does nothing', () => {
      const { status, stdout, stderr } = checkout.run(script, [script === 'dev.mjs' ? '-h' : '--help']);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(
        /^Usage: (npm run|node) [^]*\n\nExample: .*\n\nExit codes: 0 .*2 called wrongly/,
      );
      for (const text of [...options, '--help, -h', call.replace(/ --$/, '')]) expect(stdout).toContain(text);
    });

    it('refuses an option that it does not know, with 2 and where to read more', () => {
      const { status, stdout, stderr } = checkout.run(script, ['--prot']);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr.split('\n')).toEqual([
        "Unknown option '--prot'",
        expect.stringMatching(/^Usage: /),
        `"${call} --help" says more.`,
        '',
      ]);
    });
  });

  it.each([
    ['an argument', ['8081'], "Unexpected argument '8081'. This command does not take positional arguments"],
    ['a port past the last', ['--port', '65536'], '--port takes a number from 0 to 65535'],
  ])('the quickstart refuses %s, and does nothing', (_, args, message) => {
    const { status, stderr } = checkout.run('quickstart.mjs', args);
    expect({ status, first: stderr.split('\n', 1)[0] }).toEqual({ status: 2, first: message });
  });

  it.each([
    ['20.18.3', false],
    ['20.19.0', true],
    ['21.7.3', false],
    ['22.12.0', false],
    ['22.13.0', true],
    ['24.10.0', false],
    ['24.11.0', true],
  ])('Node %s is supported: %s', (version, expected) => {
    const preload = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(preload)}`;
    const { status, stderr } = checkout.run('quickstart.mjs', ['--help'], { NODE_OPTIONS });
    expect({ status, says: stderr.startsWith('This needs Node ') }).toEqual({
      status: expected ? 0 : 1,
      says: !expected,
    });
  });

  describe('the quickstart', () => {
    /** Installs and builds nothing, but takes its time, and notes down what it is called for and how it ends. */
    const NPM = `#!/bin/sh
      end() { echo "$1 ended" >> npm.log; exit 1; }
      hear() { echo "$1 told" >> npm.log; if [ "$STUBBORN" ]; then trap 'end "$1"' INT TERM HUP; else end "$1"; fi; }
      trap 'hear "$1"' INT TERM HUP
      steps=$(seq \${STUBBORN:-20}) # before anybody may signal, who would end this, too
      echo "$1" >> npm.log
      for step in $steps; do sleep 0.02; done
      case $1 in
        ci) mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json;;
        *) mkdir -p dist/src/quickstart && touch dist/src/main.js
           echo "console.log('started')" > dist/src/quickstart/main.js
           node scripts/build-info.mjs;;
      esac`;
    const calls = (): string[] => checkout.read('npm.log').trim().split('\n');
    let env: Record<string, string>;

    beforeEach(() => {
      checkout.write('package-lock.json', '{"packages":{"node_modules/a":{"version":"1.0.0"}}}');
      checkout.write('bin/npm', NPM);
      chmodSync(join(checkout.folder, 'bin/npm'), 0o755);
      env = { PATH: `${join(checkout.folder, 'bin')}:${process.env['PATH']}`, PORT: '0' };
    });

    it.each([
      ['SIGINT', '500'], // as npm has it, which unpacks everything before it looks
      ['SIGTERM', ''],
      ['SIGHUP', ''],
    ] as const)('ends an installation on %s before it ends itself', async (signal, STUBBORN) => {
      env['STUBBORN'] = STUBBORN;
      const quickstart = checkout.start('quickstart.mjs', env);
      await until(() => existsSync(join(checkout.folder, 'npm.log')));
      quickstart.signal(signal);
      expect(await quickstart.exited).toEqual({ code: 130, signal: null });
      expect(calls()).toEqual(['ci', 'ci told', 'ci ended']);
    });

    it('waits for another one that is starting in the same folder, and then finds all done', async () => {
      const both = [1, 2].map(() => checkout.start('quickstart.mjs', env));
      for (const { exited } of both) expect(await exited).toEqual({ code: 0, signal: null });
      expect(calls()).toEqual(['ci', 'run']);
      const said = both.map(({ output }) => output);
      expect(said.filter((text) => text.includes('Another start is under way in this folder'))).toHaveLength(
        1,
      );
      expect(said.filter((text) => text.includes('started\n'))).toHaveLength(2);
    });

    it('goes on where one was killed while it was starting', async () => {
      const killed = checkout.start('quickstart.mjs', env);
      await until(() => existsSync(join(checkout.folder, 'npm.log')));
      killed.signal('SIGKILL');
      await killed.exited;
      expect(readdirSync(checkout.folder)).toContain('.start.lock');
      const next = checkout.start('quickstart.mjs', env);
      expect(await next.exited).toEqual({ code: 0, signal: null });
      expect(readdirSync(checkout.folder)).not.toContain('.start.lock');
    });

    it.each(['the variable', '.env', '--port'])(
      'notices that the port of %s is taken before it installs',
      async (from) => {
        const other = createServer().listen(0, '127.0.0.1');
        await once(other, 'listening');
        const { port } = other.address() as { port: number };
        Reflect.deleteProperty(env, 'PORT');
        if (from === 'the variable') env['PORT'] = String(port);
        if (from === '.env') checkout.write('.env', `# where\nPORT=${port}\n`);
        const { status, stderr } = checkout.run(
          'quickstart.mjs',
          from === '--port' ? [from, String(port)] : [],
          env,
        );
        other.close();
        expect({ status, stderr }).toEqual({
          status: 1,
          stderr: `Port ${port} is in use on 127.0.0.1. Take another one: npm run quickstart -- --port ${(port % 65_535) + 1}\n`,
        });
        expect(existsSync(join(checkout.folder, 'npm.log'))).toBe(false);
      },
    );
  });

  it('imports nothing by a name that Node 18 does not know, which would end it before it is refused', () => {
    const names =
      /import \{[^}]*\b(parseEnv|styleText|globSync|enableCompileCache|registerHooks)\b[^}]*\} from 'node:/;
    const scripts = readdirSync(join(checkout.folder, 'scripts'), { recursive: true, encoding: 'utf8' });
    const newer = scripts.filter(
      (file) => file.endsWith('.mjs') && names.test(checkout.read(join('scripts', file))),
    );
    expect(newer).toEqual([]);
  });

  it('the SBOM refuses to leave out packages other than the optional ones', () => {
    const { status, stderr } = checkout.run('sbom.mjs', ['--omit=dev']);
    expect({ status, first: stderr.split('\n', 1)[0] }).toEqual({
      status: 2,
      first: '--omit takes the word optional',
    });
  });

  it('refuses a PostgreSQL that there is not, and starts nothing', () => {
    const { status, stderr } = checkout.run('on-postgres.mjs', ['no-such-program.js', '--postgres=14']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: '--postgres takes a major version: 15, 16, 17, 18\n',
    });
  });

  it('a start says what to run', () => {
    const { status, stderr } = checkout.run('ensure-build.mjs');
    expect(status).toBe(1);
    expect(stderr).toContain('Run: npm ci && npm run build');
  });

  it('a start goes on with what is built, silently when it was built from these sources', () => {
    checkout.write('dist/src/main.js', '');
    const stale = checkout.run('ensure-build.mjs');
    expect(stale.status).toBe(0);
    expect(stale.stderr).toContain('was not made from these sources');
    checkout.run('build-info.mjs');
    expect(checkout.run('ensure-build.mjs')).toEqual({ status: 0, stdout: '', stderr: '' });
    checkout.write('src/main.ts', 'export const changed = true;');
    expect(checkout.run('ensure-build.mjs').stderr).not.toBe('');
    checkout.run('build-info.mjs');
    checkout.write('src/main.spec.ts', 'a test changes nothing that is built');
    expect(checkout.run('ensure-build.mjs').stderr).toBe('');
  });

  it.each([
    ['all that is wanted', { a: '1.0.0', b: '2.0.0' }, true],
    ['all but what is for another platform', { a: '1.0.0' }, true],
    ['another version', { a: '1.0.1', b: '2.0.0' }, false],
    ['too little', { b: '2.0.0' }, false],
    ['nothing', undefined, false],
  ])('the quickstart installs unless there is enough: %s', (_, present, isInstalled) => {
    checkout.write(
      'package-lock.json',
      JSON.stringify({
        packages: {
          '': { version: '0.1.0' },
          'node_modules/a': { version: '1.0.0' },
          'node_modules/b': { version: '2.0.0', optional: true },
        },
      }),
    );
    const packages = Object.entries(present ?? {}).map(([name, version]) => [
      `node_modules/${name}`,
      { version },
    ]);
    if (present !== undefined)
      checkout.write(
        'node_modules/.package-lock.json',
        JSON.stringify({ packages: Object.fromEntries(packages) as object }),
      );
    checkout.write(
      'scripts/ask.mjs',
      `import { isInstalled } from './lib/project.mjs'; console.log(isInstalled());`,
    );
    expect(checkout.run('ask.mjs').stdout).toBe(`${isInstalled}\n`);
  });

  it.each([
    [
      'what the variables say',
      { GIT_BRANCH: 'main', GIT_COMMIT: 'abc', GIT_COMMIT_TIME: '2026-01-15T11:30:00+01:00' },
      { branch: 'main', commit: { id: 'abc', time: '2026-01-15T10:30:00.000Z' } },
    ],
    ['that nothing is known', {}, { branch: 'unknown', commit: { id: 'unknown', time: 'unknown' } }],
  ])('a build notes down %s', (_, env, git) => {
    checkout.write('dist/src/main.js', '');
    expect(checkout.run('build-info.mjs', [], env).status).toBe(0);
    const text = readFileSync(join(checkout.folder, 'dist/build-info.json'), 'utf8');
    const { time, ...rest } = JSON.parse(text) as { time: string };
    expect(new Date(time).toISOString()).toBe(time);
    expect(rest).toEqual({ git });
  });

  it.each([
    ['tests that passed and failed', { numPassedTests: 7, numFailedTests: 2 }, '7 passed, 2 failed\n'],
    [
      'a file that could not run as a failure',
      { numPassedTests: 7, numFailedTests: 0, numRuntimeErrorTestSuites: 1 },
      '7 passed, 1 failed\n',
    ],
    ['nothing where no test was run', undefined, '0 passed, 0 failed\n'],
  ])('the gate counts %s', (_, result, line) => {
    checkout.write('result.json', result === undefined ? '' : JSON.stringify(result));
    expect(checkout.run('count-tests.mjs', [join(checkout.folder, 'result.json')]).stdout).toBe(line);
  });
});
