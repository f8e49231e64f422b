import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { describeFailure } from '../src/cli/failures.js';
import { ECHO_TIME } from '../src/config/process.js';
import { cli, type CliOptions, type CliResult } from './support/cli.js';
import { Client } from './support/client.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { createEmptyDatabase } from './support/database.js';
import { createProperty } from './support/factories.js';
import { Lock } from './support/locks.js';
import { cleanup, opened } from './support/opened.js';
import { runBuilt, type ServiceProcess } from './support/process.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn } from './support/sign-up.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { until } from './support/until.js';
import { environmentFor } from './support/settings.js';

const COMMANDS = [
  ...['', 'user ', 'user create ', 'user list ', 'user set-role ', 'user set-password ', 'user delete '],
  ...['token ', 'token mint ', 'doctor '],
  ...['db ', 'db migrate ', 'db status ', 'db rollback ', 'db recount ', 'db distribute '],
];

type Environment = Record<string, string>;

interface Watch {
  readonly running: Promise<CliResult>;
  readonly stop: () => Promise<void>;
}

describe('the command-line tool', () => {
  let service: Service;
  let env: Environment;
  let folder: string;

  beforeAll(async () => {
    service = await startService();
    env = environmentFor(service.settings.database.url);
    folder = temporaryFolder(cleanup, 'cli');
    await run('user create --username taken --email taken@x.org');
  });

  /** The exit code and all lines of a command, as one text. */
  const run = async (words: string, stdin = '', given = env): Promise<string> => {
    const { exitCode, out, err } = await cli(words.split(' ').filter(Boolean), { env: given, stdin });
    return [exitCode, ...out, ...err].join('\n');
  };
  const signsIn = async (username: string, password: string): Promise<boolean> =>
    (await signIn(service.anonymous, { username, password })).status === 200;

  it.each(COMMANDS)('%s--help exits with 0 and needs no settings', async (words) => {
    const help = /^0\nUsage: npm run cli -- [^]*--quickstart[^]*Exit codes: 0 /;
    const said = await run(`${words}--help`, '', {});
    expect(said).toMatch(help);
    expect(said).not.toContain('NaN');
  });

  it.each<[words: string, code: number, message: string]>([
    ['', 2, 'Usage: npm run cli -- [options] [command]'],
    ['grow', 2, "error: unknown command 'grow'"],
    ['db recount --chek', 2, "error: unknown option '--chek'"],
    ['user create --username bob', 2, "error: required option '--email <ADDRESS>' not specified"],
    ['user set-role bob admin', 2, "error: command-argument value 'admin' is invalid for argument 'role'."],
    ['db distribute --shards 0', 2, "error: option '--shards <N>' argument '0' is invalid."],
    ['user delete bob eve', 2, 'error: too many arguments'],
    ['token mint', 2, "error: required option '--user <NAME>' not specified"],
    ['token mint --user taken --out /nowhere/token', 1, 'The token cannot be written: ENOENT'],
    ['user set-role nobody ADMIN', 1, 'There is no such user.'],
    ['user set-password nobody', 1, 'There is no such user.'],
    ['user delete nobody', 1, 'There is no such user.'],
    ['user create --username Taken --email y@x.org', 1, 'An account with this username exists.'],
    ['user create --username x --email y', 1, 'email must be an e-mail address; username must have 3 to 50 '],
    ['user set-password taken --password-stdin', 1, 'password must have 8 to 72 characters'],
  ])('%s exits with %i and says %j', async (words, code, message) => {
    expect((await run(words, 'short')).startsWith(`${code}\n${message}`)).toBe(true);
  });

  it.each(['user list', 'db status', 'db migrate', 'db recount', 'db distribute', 'token mint --user ada'])(
    '%s exits with 1 and one line while the database is away',
    async (words) => {
      const away = { ...env, DB_URL: 'postgres://127.0.0.1:1/x' };
      expect(await run(words, '', away)).toMatch(/^1\n.*\(connection-refused\).*$/);
    },
  );

  it.each(['doctor', 'user list'])('%s never prints the secret or the password', async (words) => {
    const secrets = { JWT_SECRET: `${env['JWT_SECRET']}-unmistakable`, DB_PASSWORD: 'unmistakable' };
    for (const url of [env['DB_URL']!, 'postgres://127.0.0.1:1/x'])
      expect(await run(words, '', { ...env, ...secrets, DB_URL: url })).not.toContain('unmistakable');
  });

  it('user create makes an account with the password that it prints, and needs no secret', async () => {
    const unset = { ...env, JWT_SECRET: '' };
    expect(await run('token mint --user ada', '', unset)).toMatch(/^1\n[^]*JWT_SECRET is missing/);
    const created = await run('user create --username ada --email ada@x.org', '', unset);
    expect(created).toMatch(/^0\nCreated user \d+, ada, USER\nPassword, shown this once: \S{24}$/);
    expect(await signsIn('ada', created.slice(-24))).toBe(true);
  });

  it('user create takes the password of standard input without its line end, and all options', async () => {
    const words = 'user create --username grace --email g@x.org --password-stdin --admin';
    expect(await run(words, 'correct horse  \n')).toMatch(/^0\nCreated user \d+, grace, ADMIN$/);
    const signedIn = await signIn(service.anonymous, { username: 'grace', password: 'correct horse  ' });
    expect(signedIn.json).toMatchObject({ user: { firstName: null, role: 'ADMIN' } });
  });

  it('user list shows every account by id, and nothing that a terminal would obey', async () => {
    const [first, admin] = [await service.account(), await service.account('ADMIN')];
    await service.sql('UPDATE users SET username = $1 WHERE id = $2', ['evil\u001b[2J\u202e', first.id]);
    const rows = (await run('user list')).split('\n').map((line) => line.split('\t'));
    expect(rows[1]).toEqual(['ID', 'ROLE', 'USERNAME', 'E-MAIL']);
    expect(rows).toContainEqual([admin.id, 'ADMIN', admin.username, `${admin.username}@example.com`]);
    expect(rows.find(([id]) => id === first.id)![2]).toBe('evil\\u{1b}[2J\\u{202e}');
    const ids = rows.slice(2).map(([id]) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('user set-password replaces the password in any case of the username, and ends no token', async () => {
    const account = await service.account();
    const words = `user set-password ${account.username.toUpperCase()}`;
    expect(await run(`${words} --password-stdin`, 'correct horse \n')).toMatch(
      /^0\n.*tokens issued before remain valid until they expire$/,
    );
    expect(await signsIn(account.username, 'correct horse ')).toBe(true);
    const [, password = ''] = /\nPassword, shown this once: (\S{24})$/.exec(await run(words)) ?? [];
    expect(await signsIn(account.username, 'correct horse ')).toBe(false);
    expect(await signsIn(account.username, password)).toBe(true);
    expect((await account.get('/api/users/me')).status).toBe(200);
  });

  it('user set-role counts from the next request of an issued token', async () => {
    const account = await service.account();
    const statuses: number[] = [];
    for (const role of ['USER', 'ADMIN', 'USER']) {
      expect(await run(`user set-role ${account.username.toUpperCase()} ${role}`)).toMatch(/^0/);
      statuses.push((await account.get('/api/users')).status);
    }
    expect(statuses).toEqual([403, 200, 403]);
  });

  it('user delete removes an account without properties, and its tokens are refused', async () => {
    const account = await service.account();
    const { id } = await createProperty(account);
    const words = `user delete ${account.username}`;
    expect(await run(words)).toBe('1\nThe user has properties: delete them first.');
    await account.delete(`/api/properties/${id}`);
    expect(await run(words)).toMatch(new RegExp(`^0\nDeleted ${account.username}(\nNo ADMIN|$)`));
    expect((await account.get('/api/users/me')).status).toBe(401);
  });

  it.each(['user set-role NAME USER', 'user delete NAME'])(
    '%s warns when no ADMIN is left',
    async (words) => {
      await service.sql(`UPDATE users SET role = 'USER'`);
      const [one, other] = [await service.account('ADMIN'), await service.account('ADMIN')];
      expect(await run(words.replace('NAME', one.username))).not.toContain('No ADMIN');
      const warning = 'No ADMIN is left: make one with "user set-role" or "user create".';
      expect(await run(words.replace('NAME', other.username))).toContain(warning);
    },
  );

  describe('token mint', () => {
    let account: Account;
    beforeEach(async () => void (account = await service.account()));

    const ownerOf = async (token: string): Promise<unknown> =>
      (await new Client(service.url, token).get('/api/users/me')).json;
    const mint = (file: string, options: CliOptions, ...more: string[]): Promise<CliResult> =>
      cli(['token', 'mint', '--user', account.username, '--out', file, ...more], { env, ...options });
    /** Ends with the test, if nothing ends it before. */
    const watch = (file: string, more: Environment, onErr?: (line: string) => void): Watch => {
      const controller = new AbortController();
      const stop = opened(() => controller.abort());
      const options = { stop: controller.signal, env: { ...env, ...more }, ...(onErr && { onErr }) };
      return { stop, running: mint(file, options, '--watch') };
    };
    const contentOf = (file: string): string => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim();

    it('prints a token that the service accepts, and nothing else', async () => {
      const { out } = await cli(['token', 'mint', '--user', account.username], { env });
      expect([out.length, await ownerOf(out[0]!)]).toEqual([1, expect.objectContaining({ id: +account.id })]);
    });

    it('--out makes a file of mode 600, and replaces the token of a file that keeps its mode', async () => {
      const file = join(mkdtempSync(join(folder, 'out-')), 'token');
      for (const mode of [0o600, 0o640]) {
        const before = process.umask(0o077);
        await mint(file, {}).finally(() => process.umask(before));
        expect([statSync(file).mode & 0o777, readdirSync(join(file, '..'))]).toEqual([mode, ['token']]);
        expect(await ownerOf(contentOf(file))).toMatchObject({ id: +account.id });
        writeFileSync(file, 'earlier');
        chmodSync(file, 0o640);
      }
    });

    it('--watch renews the token after half of its life, until it is stopped', async () => {
      const file = join(folder, 'watched');
      const sleep = jest.spyOn(timers, 'setTimeout');
      const { running, stop } = watch(file, { JWT_EXPIRATION: '1s' });
      await until(() => contentOf(file) !== '');
      const first = contentOf(file);
      await until(() => contentOf(file) !== first);
      expect(expiryOf(contentOf(file))).toBeGreaterThan(expiryOf(first));
      expect(sleep).toHaveBeenCalledWith(500, undefined, expect.anything());
      await stop();
      expect(await running).toEqual({ exitCode: 0, out: [], err: [] });
    });

    it('--watch goes on past outages of the database, and reports each once', async () => {
      const proxy = await DatabaseProxy.open();
      proxy.close();
      const err: string[] = [];
      const env = { DB_URL: proxy.url(service.settings.database.url), JWT_EXPIRATION: '2s' };
      const { running, stop } = watch(join(folder, 'patient'), env, (line) => void err.push(line));
      for (const lines of [1, 2, 3]) {
        await until(() => err.length === lines);
        if (lines === 2) proxy.close();
        else proxy.reopen();
      }
      await until(() => err.length === 4);
      await stop();
      const away = expect.stringMatching(
        /^The database cannot be used \([\w-]+\); still trying\.$/,
      ) as string;
      const back = 'The token has been renewed again.';
      expect(await running).toEqual({ exitCode: 0, out: [], err: [away, back, away, back] });
    });

    it('--watch ends with 1 when the account is deleted', async () => {
      const file = join(folder, 'doomed');
      const { running } = watch(file, { JWT_EXPIRATION: '1s' });
      await until(() => contentOf(file) !== '');
      await service.sql('DELETE FROM users WHERE id = $1', [account.id]);
      expect(await running).toMatchObject({ exitCode: 1, err: ['There is no such user.'] });
    });
  });

  it('as a process ends with its work on a signal, and at once on a later one that is no echo', async () => {
    const { id } = await service.account();
    await service.sql('INSERT INTO owner_totals VALUES ($1, 1, 0)', [id]);
    const lock = await Lock.take(service, 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [id]);
    /** PostgreSQL does not notice at once that the first one has gone. */
    const start = async (waiting: number): Promise<ServiceProcess> => {
      const started = runBuilt('../../scripts/cli.mjs', env, undefined, 'db', 'recount');
      await lock.waitedForBy(waiting);
      return started;
    };
    const impatient = await start(1);
    const since = performance.now();
    await until(() => {
      impatient.signal('SIGINT');
      return !impatient.isRunning;
    });
    expect([await impatient.exited, performance.now() - since > ECHO_TIME]).toEqual([130, true]);
    const patient = await start(2);
    for (const signal of ['SIGINT', 'SIGHUP'] as const) patient.signal(signal);
    await lock.release();
    expect([await patient.exited, patient.output]).toEqual([
      130,
      `owner ${id}: 1 row\nStopped: not every owner has been looked at.\n`,
    ]);
  });

  it('a command leaves an old schema alone where DB_MIGRATE is false', async () => {
    const empty = { ...environmentFor(await createEmptyDatabase()), DB_MIGRATE: 'false' };
    const refusal = '1\nThe schema is not up to date: run "npm run cli -- db migrate".';
    for (const words of ['user list', 'db recount']) expect(await run(words, '', empty)).toBe(refusal);
    expect(await run('db status', '', empty)).toMatch(/^0\npending/);
    const [, pending = ''] = /pending {2}(\S+)/.exec(await run('db status', '', empty)) ?? [];
    expect(await run(`db rollback --to ${pending}`, '', empty)).toBe(
      `1\nNo migration ${pending} has been applied: "db status" lists them.`,
    );
  });
});

it('an error of the system has one line, and a defect its stack', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { syscall: 'write' });
  expect(describeFailure(full)).toBe(full.message);
  expect(describeFailure(new TypeError('x is undefined'))).toMatch(/^TypeError: x is undefined\n +at /);
});

function expiryOf(token: string): number {
  return (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { exp: number }).exp;
}
