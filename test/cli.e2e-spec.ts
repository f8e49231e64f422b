import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MIGRATIONS } from '../migrations/all.js';
import { cli, type CliResult, environmentFor } from './support/cli.js';
import { Client } from './support/client.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { openConnection } from './support/connect.js';
import { createDatabase, createEmptyDatabase, serverUrl } from './support/database.js';
import { createProperty } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';
import { TEST_SECRET } from './support/settings.js';
import { signIn } from './support/sign-up.js';
import { until } from './support/until.js';

const NAMES = MIGRATIONS.map(({ name }) => name);

/** Everything that a run has printed. */
const all = ({ out, err }: CliResult): string => [...out, ...err].join('\n');

describe('the command-line tool', () => {
  let service: Service;
  let env: Record<string, string>;
  let folder: string;

  beforeAll(async () => {
    service = await startService();
    env = environmentFor(service.settings.database.url);
    folder = mkdtempSync(join(tmpdir(), 'cli-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['', 'Usage: npm run cli -- [options] [command]'],
    ['grow', "error: unknown command 'grow'"],
    ['user set-rule bob', "error: unknown command 'set-rule'", '(Did you mean set-role?)'],
    ['db recount --chek', "error: unknown option '--chek'", '(Did you mean --check?)'],
    ['user create --username bob', "error: required option '--email <ADDRESS>' not specified"],
    [
      'user set-role bob admin',
      "error: command-argument value 'admin' is invalid for argument 'role'. Allowed choices are USER, ADMIN.",
    ],
    [
      'db recount --owner bob',
      "error: option '--owner <ID>' argument 'bob' is invalid. It takes the id of an account.",
    ],
    ['user delete bob eve', "error: too many arguments for 'delete'. Expected 1 argument but got 2."],
    ['token mint', "error: required option '--user <NAME>' not specified"],
  ])('called wrongly, as "%s", says so and exits with 2', async (words, ...message) => {
    const { exitCode, out, err } = await cli(words.split(' ').filter(Boolean), { env });
    expect({ exitCode, out, first: err.slice(0, message.length) }).toEqual({
      exitCode: 2,
      out: [],
      first: message,
    });
    expect(err.at(-1)).toMatch(/^"npm run cli -- .*--help" /);
  });

  it.each([
    ...['', 'user ', 'user create ', 'user list ', 'user set-role ', 'user set-password ', 'user delete '],
    ...['token ', 'token mint ', 'db ', 'db migrate ', 'db status ', 'db recount ', 'db distribute '],
    'doctor ',
  ])('explains itself with %s--help, needing no settings', async (words) => {
    const { exitCode, out, err } = await cli(`${words}--help`.split(' '));
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: [] });
    for (const text of ['--quickstart', 'Exit codes: 0 ']) expect(out.join('\n')).toContain(text);
    expect(out[0]).toMatch(/^Usage: npm run cli -- /);
    expect(out.slice(1).filter((line) => line.length > 120)).toEqual([]);
    const [example = ''] = out.flatMap((line) => /^Example: npm run cli -- (.*)/.exec(line)?.[1] ?? []);
    expect((await cli(example.split(' '))).exitCode).toBe(1); // it is understood, but there are no settings
  });

  it('lists the commands of a group beside its name', async () => {
    const { out } = await cli(['--help']);
    expect(out).toContainEqual(
      expect.stringMatching(/^ +user create\|list\|set-role\|set-password\|delete /),
    );
  });

  describe('user create', () => {
    beforeAll(() => create('taken'));

    it('makes an account that signs in with the password it prints once', async () => {
      const { exitCode, out, err } = await create('ada');
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: [] });
      expect(out[0]).toMatch(/^Created user \d+, ada, USER$/);
      const password = /^Password, shown this once: (\S{24})$/.exec(out[1]!)![1]!;
      const answer = await signIn(service.anonymous, { username: 'ada', password });
      expect(answer.json).toMatchObject({
        user: { email: 'ada@example.com', role: 'USER', firstName: null },
      });
    });

    it('takes a password from standard input, and prints none', async () => {
      const password = 'correct horse  ';
      const options = ['--password-stdin', '--first-name', 'Grace', '--admin'];
      const { out } = await create('grace', options, `${password}\n`);
      expect(out).toEqual([expect.stringMatching(/^Created user \d+, grace, ADMIN$/)]);
      const answer = await signIn(service.anonymous, { username: 'grace', password });
      expect(answer.json).toMatchObject({ user: { firstName: 'Grace', role: 'ADMIN' } });
    });

    it('refuses a username that is taken with one line', async () => {
      const argv = ['user', 'create', '--username', 'Taken', '--email', 'other@example.com'];
      const err = ['An account with this username exists.'];
      expect(await cli(argv, { env })).toEqual({ exitCode: 1, out: [], err });
    });

    it('names every fault, and never the password', async () => {
      const result = await cli(['user', 'create', '--username', 'x', '--email', 'y', '--password-stdin'], {
        env,
        stdin: 'short\n',
      });
      expect(result.exitCode).toBe(1);
      expect(result.err).toEqual([
        'email must be an e-mail address; username must have 3 to 50 characters; password must have 8 to 72 characters',
      ]);
    });

    it('needs no secret', async () => {
      expect((await create('secretless', [], '', { ...env, JWT_SECRET: '' })).exitCode).toBe(0);
    });

    function create(username: string, more: string[] = [], stdin = '', given = env): Promise<CliResult> {
      const email = `${username}@example.com`;
      return cli(['user', 'create', '--username', username, '--email', email, ...more], {
        env: given,
        stdin,
      });
    }
  });

  it('user list shows every account by id, and nothing that a terminal would obey', async () => {
    const first = await service.account();
    const admin = await service.account('ADMIN');
    await service.sql('UPDATE users SET username = $1 WHERE id = $2', ['evil\u001b[2J\u202e', first.id]);
    const { exitCode, out } = await cli(['user', 'list'], { env });
    expect(exitCode).toBe(0);
    expect(out[0]).toMatch(/^ID +ROLE +USERNAME +E-MAIL$/);
    const rows = out.slice(1).map((line) => line.split(/ {2,}/));
    const mail = ({ username }: Account): string => `${username}@example.com`;
    expect(rows).toContainEqual([admin.id, 'ADMIN', admin.username, mail(admin)]);
    expect(rows).toContainEqual([first.id, 'USER', 'evil\\u{1b}[2J\\u{202e}', mail(first)]);
    const ids = rows.map(([id]) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('user list --json prints what GET /api/users answers, and nothing that a terminal would obey', async () => {
    const admin = await service.account('ADMIN');
    await service.sql('UPDATE users SET first_name = $1 WHERE id = $2', ['a\u009b2J\u{e0001}"b', admin.id]);
    const { exitCode, out } = await cli(['user', 'list', '--json'], { env });
    expect({ exitCode, lines: out.length }).toEqual({ exitCode: 0, lines: 1 });
    expect(out[0]).toMatch(/^[^\p{Cc}\p{Cf}]*$/u);
    expect(JSON.parse(out[0]!)).toEqual((await admin.get('/api/users')).json);
  });

  describe('user set-password', () => {
    let account: Account;
    const signsIn = async (password: string): Promise<boolean> =>
      (await signIn(service.anonymous, { username: account.username, password })).status === 200;

    beforeAll(async () => void (account = await service.account()));

    it('takes it from standard input, and ends no token', async () => {
      const argv = ['user', 'set-password', account.username.toUpperCase(), '--password-stdin'];
      const { exitCode, out, err } = await cli(argv, { env, stdin: 'correct horse \n' });
      expect({ exitCode, out, err }).toEqual({
        exitCode: 0,
        out: [expect.stringContaining('tokens issued before are valid until they expire')],
        err: [],
      });
      expect(await signsIn('correct horse ')).toBe(true);
      expect((await account.get('/api/users/me')).status).toBe(200);
    });

    it('asks for it twice on a terminal, hidden', async () => {
      const password = 'battery staple';
      const { exitCode, out } = await set([password, password]);
      expect({ exitCode, asked: out.slice(0, 2) }).toEqual({
        exitCode: 0,
        asked: ['New password: (hidden)', 'The same again: (hidden)'],
      });
      expect(await signsIn(password)).toBe(true);
      expect(await signsIn('correct horse ')).toBe(false);
    });

    it.each([
      [
        'two that differ',
        ['battery staple 1', 'battery staple 2'],
        'The two are not the same: nothing was changed.',
      ],
      ['one that a sign-up refuses', ['short', 'short'], 'password must have 8 to 72 characters'],
    ])('refuses %s', async (_, answers, line) => {
      await set(['horse battery', 'horse battery']);
      const { exitCode, err } = await set(answers);
      expect({ exitCode, err }).toEqual({ exitCode: 1, err: [line] });
      expect(await signsIn('horse battery')).toBe(true);
    });

    it('says which option it wants where nobody can be asked', async () => {
      const { exitCode, err } = await cli(['user', 'set-password', account.username], { env });
      expect({ exitCode, err }).toEqual({
        exitCode: 2,
        err: ['Standard input is no terminal: use --password-stdin'],
      });
    });

    const set = (answers: string[]): Promise<CliResult> =>
      cli(['user', 'set-password', account.username], { env, answers });
  });

  describe('the last ADMIN', () => {
    const WARNING = / is the last ADMIN: afterwards only "user set-role" or "user create" makes another\.$/;
    let admin: Account;

    beforeEach(async () => {
      await service.sql(`UPDATE users SET role = 'USER'`);
      admin = await service.account('ADMIN');
    });

    const demotion = (): string[] => ['user', 'set-role', admin.username.toUpperCase(), 'USER'];
    const deletion = (): string[] => ['user', 'delete', admin.username];
    const isAdmin = async (): Promise<boolean> => (await admin.get('/api/users')).status === 200;

    describe.each([
      ['demoted', demotion],
      ['deleted', deletion],
    ])('is %s', (_, call) => {
      it('with a warning, where nobody can be asked', async () => {
        const { exitCode, err } = await cli(call(), { env });
        expect({ exitCode, err }).toEqual({ exitCode: 0, err: [expect.stringMatching(WARNING)] });
        expect(await isAdmin()).toBe(false);
      });

      it('only if somebody at the terminal says yes', async () => {
        const refused = await cli(call(), { env, answers: ['y'] });
        expect(refused).toEqual({
          exitCode: 1,
          out: ['Go on (yes/no)? '],
          err: [expect.stringMatching(WARNING), 'Nothing was changed.'],
        });
        expect(await isAdmin()).toBe(true);
        expect((await cli(call(), { env, answers: ['yes'] })).exitCode).toBe(0);
        expect(await isAdmin()).toBe(false);
      });
    });

    it('is not asked about with --yes', async () => {
      const { exitCode, err } = await cli([...demotion(), '--yes'], { env, answers: [] });
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: [expect.stringMatching(WARNING)] });
    });

    it('is not asked about while another ADMIN exists, or when the role stays ADMIN', async () => {
      await cli(['user', 'set-role', admin.username, 'ADMIN'], { env }).then(({ err }) =>
        expect(err).toEqual([]),
      );
      await service.account('ADMIN');
      expect((await cli(deletion(), { env })).err).toEqual([]);
    });
  });

  it('user set-role counts at the next request of a token that was issued before', async () => {
    const account = await service.account();
    const usersStatus = async (): Promise<number> => (await account.get('/api/users')).status;
    expect(await usersStatus()).toBe(403);
    const promoted = await cli(['user', 'set-role', account.username.toUpperCase(), 'ADMIN'], { env });
    expect(promoted).toMatchObject({ exitCode: 0, err: [] });
    expect(await usersStatus()).toBe(200);
    await cli(['user', 'set-role', account.username, 'USER'], { env });
    expect(await usersStatus()).toBe(403);
  });

  it.each([
    'user set-role nobody ADMIN',
    'user set-password nobody',
    'user delete nobody',
    'token mint --user nobody',
  ])('%s knows nobody of that name, before it asks', async (words) => {
    const result = await cli(words.split(' '), { env, answers: [] });
    expect(result).toEqual({ exitCode: 1, out: [], err: ['There is no such user.'] });
  });

  describe('user delete', () => {
    it('removes an account, and its tokens are refused', async () => {
      const account = await service.account();
      const result = await cli(['user', 'delete', account.username], { env });
      expect(result).toEqual({ exitCode: 0, out: [`Deleted ${account.username}`], err: [] });
      expect((await account.get('/api/users/me')).status).toBe(401);
    });

    it('refuses while properties belong to it', async () => {
      const account = await service.account();
      await createProperty(account);
      const { exitCode, err } = await cli(['user', 'delete', account.username], { env });
      expect({ exitCode, err }).toEqual({
        exitCode: 1,
        err: ['Properties belong to this user: delete or move them first.'],
      });
      expect((await account.get('/api/users/me')).status).toBe(200);
    });
  });

  describe('token mint', () => {
    let account: Account;
    const isAccepted = async (token: string): Promise<boolean> =>
      (await new Client(service.url, token).get('/api/users/me')).text.includes(`"id":${account.id},`);

    beforeAll(async () => {
      account = await service.account();
    });

    it('prints a token that the service accepts, and nothing else', async () => {
      const { exitCode, out, err } = await cli(['token', 'mint', '--user', account.username], { env });
      expect({ exitCode, err, lines: out.length }).toEqual({ exitCode: 0, err: [], lines: 1 });
      expect(await isAccepted(out[0]!)).toBe(true);
    });

    it('writes it to a file that only its owner may read, and leaves no other', async () => {
      const file = join(mkdtempSync(join(folder, 'out-')), 'token');
      const result = await cli(['token', 'mint', '--user', account.username, '--out', file], { env });
      expect(result).toEqual({ exitCode: 0, out: [], err: [] });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(await isAccepted(readFileSync(file, 'utf8').trim())).toBe(true);
      expect(readdirSync(join(file, '..'))).toEqual(['token']);
    });

    it.each([
      ['640', 0o640],
      ['0440', 0o440],
    ])('gives the file the rights of --mode %s, whatever the umask', async (text, mode) => {
      const file = join(mkdtempSync(join(folder, 'mode-')), 'token');
      const before = process.umask(0o077);
      const argv = ['token', 'mint', '--user', account.username, '--out', file, '--mode', text];
      const result = await cli(argv, { env }).finally(() => process.umask(before));
      expect(result).toEqual({ exitCode: 0, out: [], err: [] });
      expect(statSync(file).mode & 0o777).toBe(mode);
    });

    it('gives the file the group, by name and by number', async () => {
      const number = process.getgid!();
      const groups = readFileSync('/etc/group', 'utf8').split('\n');
      const name = groups.map((line) => line.split(':')).find(([, , id]) => id === String(number))?.[0];
      for (const group of [String(number), ...(name === undefined ? [] : [name])]) {
        const file = join(mkdtempSync(join(folder, 'group-')), 'token');
        const argv = ['token', 'mint', '--user', account.username, '--out', file, '--group', group];
        expect(await cli(argv, { env })).toEqual({ exitCode: 0, out: [], err: [] });
        expect([statSync(file).gid, statSync(file).mode & 0o777]).toEqual([number, 0o600]);
      }
    });

    it.each([
      ['--mode 640', 2, '--mode and --group go with --out'],
      ['--mode g+r --out x', 2, '--mode takes a mode such as 640'],
      ['--mode 888 --out x', 2, '--mode takes a mode such as 640'],
      ['--group none --out x', 1, 'There is no group none in /etc/group: give its number.'],
    ])('refuses %s', async (options, exitCode, message) => {
      const words = `token mint --user ${account.username} ${options}`;
      const { exitCode: ended, err } = await cli(words.split(' '), { env });
      expect([ended, err[0]]).toEqual([exitCode, message]);
    });

    it('renews it before it expires, until it is stopped', async () => {
      const file = join(folder, 'watched');
      const controller = new AbortController();
      const running = cli(['token', 'mint', '--user', account.username, '--out', file, '--watch'], {
        env: { ...env, JWT_EXPIRATION: '4s' },
        stop: controller.signal,
      });
      const content = (): string => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim();
      await until(() => content() !== '');
      const first = content();
      await until(() => content() !== first);
      expect(expiryOf(content())).toBeGreaterThan(expiryOf(first));
      expect(expiryOf(first) * 1000).toBeGreaterThan(Date.now()); // in time
      controller.abort();
      expect(await running).toEqual({ exitCode: 0, out: [], err: [] });
    });

    it('tries on while the database is away, and says so once', async () => {
      const proxy = await DatabaseProxy.to(service.settings.database.url);
      const file = join(folder, 'patient');
      const controller = new AbortController();
      const err: string[] = [];
      const running = cli(['token', 'mint', '--user', account.username, '--out', file, '--watch'], {
        env: { ...env, DB_URL: proxy.url(service.settings.database.url), JWT_EXPIRATION: '2s' },
        stop: controller.signal,
        onErr: (line) => err.push(line),
      });
      const written = (): number => (existsSync(file) ? statSync(file).mtimeMs : 0);
      await until(() => err.length > 0);
      await sleep(300); // a few tries
      await proxy.reopen();
      await until(() => written() > 0);
      await until(() => err.length === 2);
      await proxy.close();
      await until(() => err.length === 3);
      await sleep(300);
      const before = written();
      await proxy.reopen();
      await until(() => written() > before && err.length === 4);
      controller.abort();
      const AWAY = expect.stringMatching(/^The database cannot be used \([\w-]+\); trying on\.$/) as string;
      const BACK = 'The token was renewed again.';
      expect(await running).toEqual({ exitCode: 0, out: [], err: [AWAY, BACK, AWAY, BACK] });
    });

    it('ends when the account that it watches over is deleted', async () => {
      const doomed = await service.account();
      const file = join(folder, 'doomed');
      const running = cli(['token', 'mint', '--user', doomed.username, '--out', file, '--watch'], {
        env: { ...env, JWT_EXPIRATION: '1s' },
      });
      await until(() => readdirSync(folder).includes('doomed'));
      await service.sql('DELETE FROM users WHERE id = $1', [doomed.id]);
      expect(await running).toMatchObject({ exitCode: 1, err: ['There is no such user.'] });
    });

    it('says which file it cannot write', async () => {
      const file = join(folder, 'nowhere', 'token');
      const { exitCode, err } = await cli(['token', 'mint', '--user', account.username, '--out', file], {
        env,
      });
      expect({ exitCode, lines: err.length }).toEqual({ exitCode: 1, lines: 1 });
      expect(err[0]).toMatch(/^The token cannot be written: ENOENT/);
    });
  });

  describe('db', () => {
    it('shows what is pending, applies it, and then has nothing to do', async () => {
      const options = { env: environmentFor(await createEmptyDatabase()) };
      expect((await cli(['db', 'status'], options)).out).toEqual(NAMES.map((name) => `pending  ${name}`));
      expect((await cli(['db', 'migrate'], options)).out).toEqual(
        NAMES.map((name) => expect.stringMatching(`^Applied ${name} in \\d+ ms$`) as string),
      );
      expect((await cli(['db', 'status'], options)).out).toEqual(NAMES.map((name) => `applied  ${name}`));
      expect(await cli(['db', 'migrate'], options)).toEqual({
        exitCode: 0,
        out: ['The schema is up to date'],
        err: [],
      });
    });

    it('is left alone by other commands where DB_MIGRATE is false', async () => {
      const options = { env: { ...environmentFor(await createEmptyDatabase()), DB_MIGRATE: 'false' } };
      expect(await cli(['user', 'list'], options)).toEqual({
        exitCode: 1,
        out: [],
        err: ['The schema is not up to date: run "npm run cli -- db migrate".'],
      });
      expect((await cli(['db', 'status'], options)).out[0]).toMatch(/^pending/);
    });
  });

  it.each(['user list', 'db status', 'db migrate', 'db recount', 'db distribute', 'token mint --user ada'])(
    '%s says in one line that the database is away',
    async (words) => {
      const away = { ...env, DB_URL: 'postgres://127.0.0.1:1/x' };
      const { exitCode, out, err } = await cli(words.split(' '), { env: away });
      expect({ exitCode, out, err }).toEqual({
        exitCode: 1,
        out: [],
        err: [expect.stringContaining('(connection-refused)')],
      });
    },
  );

  it('names every setting that is missing', async () => {
    const { exitCode, err } = await cli(['token', 'mint', '--user', 'ada']);
    expect(exitCode).toBe(1);
    expect(err.join('\n')).toMatch(/JWT_SECRET is missing[^]*DB_PASSWORD is missing/);
  });

  describe('doctor', () => {
    /** And any port that is free: a quickstart may be running on 8080. */
    const STRONG = { JWT_SECRET: 'Zk3v9QmT8sLx2pWc7RbY4nHd6GfJ1aKe5UoV0iXq', PORT: '0' };
    const subjects = ({ out }: CliResult, word: string): string[] =>
      out.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(6).split(' ', 1)[0]!] : []));

    it('finds nothing wrong where nothing is', async () => {
      const result = await cli(['doctor'], { env: { ...env, ...STRONG } });
      expect(result.exitCode).toBe(0);
      expect(subjects(result, 'ok')).toEqual([
        'settings',
        'secret',
        'CORS',
        'database',
        'connections',
        'schema',
        'rights',
        'port',
      ]);
      expect(result.out.at(-1)).toBe('Everything is in order.');
    });

    it.each<
      [string, () => Record<string, string> | Promise<Record<string, string>>, string, RegExp, ...string[]]
    >([
      [
        'no secret',
        () => ({ JWT_SECRET: '' }),
        'secret',
        /JWT_SECRET is missing\n +→ echo "JWT_SECRET=\$\(openssl rand -base64 48\)" >> \.env$/m,
      ],
      [
        'more instances than PostgreSQL has connections for',
        () => ({ DB_POOL_SIZE: '99' }),
        'connections',
        /DB_POOL_SIZE is 99: 2 instances want 202 connections; max_connections allows \d+; .*\n +→ DB_POOL_SIZE=\d+, or/,
        '--instances',
        '2',
      ],
      [
        'an origin with a path',
        () => ({ CORS_ALLOWED_ORIGINS: 'https://a.example/x' }),
        'CORS',
        /CORS_ALLOWED_ORIGINS must list .*\n +→ correct CORS_ALLOWED_ORIGINS in the environment, or in \.env$/m,
      ],
      [
        'a database away',
        () => ({ DB_URL: 'postgres://127.0.0.1:1/x' }),
        'database',
        /connection-refused: x at 127\.0\.0\.1, port 1\n +→ start PostgreSQL/,
      ],
      [
        'no such database',
        () => ({ DB_URL: serverUrl('absent') }),
        'database',
        /no-such-database: absent at .*\n +→ as superuser: CREATE DATABASE "absent" OWNER "postgres" /,
      ],
      [
        'a pool larger than PostgreSQL has connections',
        () => ({ DB_POOL_SIZE: '1000' }),
        'connections',
        /DB_POOL_SIZE is 1000: 1 instance wants 1002 connections; max_connections allows \d+; .*\n +→ DB_POOL_SIZE=\d+, or as superuser: ALTER SYSTEM/,
      ],
      [
        'a schema that nobody will update',
        async () => ({ DB_URL: await createEmptyDatabase(), DB_MIGRATE: 'false' }),
        'schema',
        new RegExp(
          `${NAMES.length} of ${NAMES.length} migrations are missing\n +→ npm run cli -- db migrate$`,
          'm',
        ),
      ],
    ])('finds %s, says how to mend it, and exits with 1', async (_, change, subject, text, ...options) => {
      const result = await cli(['doctor', ...options], { env: { ...env, ...STRONG, ...(await change()) } });
      expect(result.exitCode).toBe(1);
      expect(subjects(result, 'FAIL')).toEqual([subject]);
      expect(all(result)).toMatch(text);
      expect(result.out.at(-1)).toBe('1 thing to mend. Run this again afterwards.');
    });

    it.each([
      ['JWT_SECRET', 'password'.repeat(5), 'secret', /→ .*openssl rand -base64 48$/m],
      [
        'JWT_SECRET',
        'my-super-secret-jwt-key-for-production-2024',
        'secret',
        /→ .*openssl rand -base64 48$/m,
      ],
      ['LOGLEVEL', 'x', 'settings', /LOGLEVEL is no setting .*\n +→ call it LOG_LEVEL$/m],
      ['PORTS', 'x', 'settings', /→ remove it: PORT is set as well$/m],
      ['CORS_ALLOWED_ORIGIN', 'x', 'settings', /→ call it CORS_ALLOWED_ORIGINS$/m],
      ['DB_PASWORD', 'x', 'settings', /→ remove it: DB_PASSWORD is set as well$/m],
      ['DB_PASS', 'x', 'settings', /→ remove it: DB_PASSWORD is set as well$/m],
      ['DB_USER', 'x', 'settings', /→ call it DB_USERNAME$/m],
      ['DATABASE_URL', 'x', 'settings', /→ remove it: DB_URL is set as well$/m],
      ['JWT_EXPIRES_IN', 'x', 'settings', /→ call it JWT_EXPIRATION$/m],
      ['DB_SSL', 'x', 'settings', /→ call it DB_SSLMODE$/m],
      ['DB_FOO', 'x', 'settings', /DB_FOO is no setting .*\n +→ remove it, or/],
    ])('warns of %s=%s, and exits with 0', async (name, value, subject, text) => {
      const result = await cli(['doctor'], { env: { ...env, ...STRONG, [name]: value } });
      expect(result.exitCode).toBe(0);
      expect(subjects(result, 'warn')).toEqual([subject]);
      expect(all(result)).toMatch(text);
      expect(result.out.at(-1)).toBe('The service can start; 1 thing to look at.');
    });

    it.each([
      ['the role', 'ALTER ROLE limited CONNECTION LIMIT 3', /ALTER ROLE … CONNECTION LIMIT 12$/m],
      ['the database', 'ALTER DATABASE %I CONNECTION LIMIT 3', /ALTER DATABASE … CONNECTION LIMIT \d+$/m],
    ])('finds that the CONNECTION LIMIT of %s is too low', async (whose, statement, remedy) => {
      const url = new URL(await createDatabase());
      const name = url.pathname.slice(1);
      const client = await openConnection(url.href);
      await client.query(`DO $$ BEGIN CREATE ROLE limited LOGIN PASSWORD 'x' IN ROLE pg_read_all_data, pg_write_all_data;
        EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
      await client.query(`ALTER ROLE limited CONNECTION LIMIT -1`);
      await client.query(statement.replace('%I', name));
      url.username = 'limited';
      const result = await cli(['doctor'], { env: { ...env, ...STRONG, DB_URL: url.href } });
      expect(subjects(result, 'FAIL')).toContain('connections');
      expect(all(result)).toContain(`the CONNECTION LIMIT of ${whose} allows 3`);
      expect(all(result)).toMatch(remedy);
    });

    it('warns of a locale that knows the case of ASCII letters alone', async () => {
      const client = await openConnection(serverUrl('postgres'));
      await client.query('DROP DATABASE IF EXISTS ascii');
      await client.query("CREATE DATABASE ascii ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0");
      const result = await cli(['doctor'], { env: { ...env, ...STRONG, DB_URL: serverUrl('ascii') } });
      expect(subjects(result, 'warn')).toEqual(['database']);
      expect(all(result)).toMatch(/élise does not find ÉLISE\n +→ dump it, .*LOCALE 'C.UTF-8'/);
    });

    it('tells programs the same', async () => {
      const result = await cli(['doctor', '--json'], {
        env: { ...env, ...STRONG, LOG_LEVEL: 'x', DB_FOO: 'y' },
      });
      expect(result.exitCode).toBe(1);
      const { ok, findings } = JSON.parse(all(result)) as { ok: boolean; findings: { mark: string }[] };
      expect(ok).toBe(false);
      expect(findings.filter(({ mark }) => mark !== 'ok')).toEqual([
        {
          mark: 'fail',
          subject: 'settings',
          text: 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
          remedy: 'correct LOG_LEVEL in the environment, or in .env',
        },
        {
          mark: 'warn',
          subject: 'settings',
          text: 'DB_FOO is no setting of this service, and is ignored',
          remedy: 'remove it, or see .env.example for its name',
        },
      ]);
    });

    it("gives no advice on variables of PostgreSQL itself, and none on other programs' that resemble a setting", async () => {
      const given = {
        PATH: 'x',
        HOSTNAME: 'x',
        PGHOST: 'x',
        PGPORT: '1',
        PGUSER: 'x',
        PGDATABASE: 'x',
        PGPASSWORD: 'x',
        PG_BIN: 'x',
      };
      const result = await cli(['doctor'], { env: { ...env, ...STRONG, ...given } });
      expect(result.exitCode).toBe(0);
      expect(all(result)).not.toContain('PG');
    });

    it('goes on past faulty settings to what can still be looked at', async () => {
      const result = await cli(['doctor'], {
        env: { ...env, PORT: '0', JWT_SECRET: '', LOG_LEVEL: 'x' },
      });
      expect(subjects(result, 'FAIL').sort()).toEqual(['secret', 'settings']);
      expect(subjects(result, 'ok')).toEqual(expect.arrayContaining(['database', 'schema', 'port']));
    });
  });

  it('never prints the secret or the password of the database', async () => {
    const secret = { JWT_SECRET: `${TEST_SECRET}-unmistakable`, DB_PASSWORD: 'unmistakable-password' };
    for (const words of ['doctor', 'user list']) {
      for (const url of [env['DB_URL']!, 'postgres://127.0.0.1:1/x'])
        expect(all(await cli(words.split(' '), { env: { ...env, ...secret, DB_URL: url } }))).not.toContain(
          'unmistakable',
        );
    }
  });
});

function expiryOf(token: string): number {
  return (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { exp: number }).exp;
}
