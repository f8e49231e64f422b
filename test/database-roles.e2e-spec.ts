import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bodyOf, expectProblem, pageOf } from './support/answers.js';
import { cli, type CliResult, environmentFor } from './support/cli.js';
import { Client } from './support/client.js';
import { withConnection } from './support/connect.js';
import { serverUrl } from './support/database.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { Launched } from './support/launched.js';
import { LedgerLoad } from './support/ledger-load.js';
import { LogLines } from './support/log-lines.js';
import { type Service, startService } from './support/service.js';
import { signIn } from './support/sign-up.js';
import { differencesOf } from './support/totals.js';
import { until } from './support/until.js';

/** The statements of docs/security.md, in order: those of the superuser, and those of the schema's owner. */
const [SETUP = [], GRANTS = []] = [
  ...readFileSync('docs/security.md', 'utf8').matchAll(/^```sql\n([^]*?)^```$/gm),
].map(([, block = '']) =>
  block
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== ''),
);

/** A database set up as documented, under names that no other test has. */
class Roles {
  readonly #name = `roles_${randomUUID().replaceAll('-', '')}`;

  /** The service's role. */
  get url(): string {
    return this.as(this.#name);
  }

  get ownerUrl(): string {
    return this.as(`${this.#name}_owner`);
  }

  static async make(): Promise<Roles> {
    const roles = new Roles();
    await roles.run(serverUrl('postgres'), SETUP);
    return roles;
  }

  async grant(): Promise<void> {
    await this.run(this.ownerUrl, GRANTS);
  }

  async run(url: string, statements: readonly string[]): Promise<void> {
    await withConnection(url, async (client) => {
      for (const statement of statements) await client.query(this.renamed(statement));
    });
  }

  renamed(text: string): string {
    return text.replaceAll('property_finance', this.#name).replace(/ LOCALE '.*?'/, ''); // which only Linux has
  }

  private as(role: string): string {
    const url = new URL(serverUrl(this.#name));
    url.username = role;
    return url.href;
  }
}

const run = (words: string, url: string, env: Record<string, string> = {}): Promise<CliResult> =>
  cli(words.split(' '), { env: { ...environmentFor(url), ...env } });

describe('under a role that may read and write rows, and nothing else,', () => {
  let roles: Roles;
  let service: Service;

  beforeAll(async () => {
    roles = await Roles.make();
    expect((await run('db migrate', roles.ownerUrl)).exitCode).toBe(0);
    await roles.grant();
    service = await startService({}, roles.url);
  });

  it('accounts sign up, sign in, are read and are deleted', async () => {
    const request = { email: 'ada@example.com', username: 'ada', password: 'correct horse' };
    const { id } = bodyOf(await service.anonymous.post('/api/auth/signup', request));
    const session = bodyOf(await signIn(service.anonymous, request));
    const ada = new Client(service.url, session['accessToken'] as string);
    expect((await ada.get('/api/users/me')).json).toMatchObject({ id, role: 'USER' });
    const admin = await service.account('ADMIN');
    const users = (await admin.get('/api/users')).json as { id: unknown }[];
    expect(users.map((user) => user.id)).toEqual(expect.arrayContaining([id, Number(admin.id)]));
    expect((await admin.get(`/api/users/${String(id)}`)).status).toBe(200);
    expect((await admin.delete(`/api/users/${String(id)}`)).status).toBe(200);
    expect((await ada.get('/api/users/me')).status).toBe(401);
  });

  it('every operation on properties and transactions works', async () => {
    const owner = await service.account();
    const [first, second] = [await createProperty(owner), await createProperty(owner)];
    const transaction = `/api/transactions/${(await createTransaction(owner, first.id)).id}`;
    const answers = [
      await owner.put(`/api/properties/${first.id}`, propertyRequest({ name: 'Renamed' })),
      await owner.put(transaction, transactionRequest(first.id, { amount: 2 })),
      await owner.put(transaction, transactionRequest(second.id)),
      await owner.get(transaction),
      await owner.post('/api/transactions/search', { searchTerm: 'nights', overdue: false }),
      await owner.get(`/api/transactions/property/${second.id}?sort=amount,desc`),
      await owner.get('/api/properties?sort=name'),
      await owner.delete(transaction),
      await owner.delete(`/api/properties/${second.id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(pageOf(await owner.get('/api/properties')).totalElements).toBe(1);
  });

  it('the totals follow writes that overlap, an ADMIN among them', async () => {
    const load = await LedgerLoad.on(service, 8);
    await load.run(4, (turn) => turn < 12);
    expect(await differencesOf(service)).toEqual([]);
  });

  it('every command works', async () => {
    await service.account('ADMIN'); // else the last one would be deleted, with a warning
    for (const [words, first] of [
      ['user create --username cli --email cli@example.com', /^Created user/],
      ['user set-role cli ADMIN', /^cli is ADMIN now/],
      ['user list', /^ID/],
      ['token mint --user cli', /^ey/],
      ['user delete cli', /^Deleted cli/],
      ['db status', /^applied/],
      ['db migrate', /^The schema is up to date/],
      ['doctor', /^ok/],
    ] as const) {
      const { exitCode, out, err } = await run(words, roles.url);
      expect({ words, exitCode, err }).toEqual({ words, exitCode: 0, err: [] });
      expect(out[0]).toMatch(first);
    }
  });

  it('the command db recount corrects totals, missing ones too', async () => {
    const owner = await service.account();
    await createTransaction(owner, (await createProperty(owner)).id);
    await service.sql('UPDATE property_totals SET transactions = 5 WHERE owner_id = $1', [owner.id]);
    await service.sql('DELETE FROM owner_totals WHERE owner_id = $1', [owner.id]);
    expect((await run('db recount', roles.url)).out).toEqual([
      `owner ${owner.id}: 2 rows`,
      'Corrected: 2 rows',
    ]);
    expect(await differencesOf(service)).toEqual([]);
  });

  it.each([
    'CREATE TABLE more (id int)',
    'CREATE TEMPORARY TABLE more (id int)',
    'CREATE SCHEMA more',
    'CREATE FUNCTION more() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    `CREATE OR REPLACE FUNCTION count_transaction() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
    `CREATE TRIGGER more AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION count_property()`,
    'ALTER TABLE users ADD COLUMN more text',
    'ALTER TABLE transactions DISABLE TRIGGER transactions_totals_inserted',
    'DROP TABLE transactions',
    'TRUNCATE transactions',
    "INSERT INTO migrations (timestamp, name) VALUES (1, 'More1')",
    'DELETE FROM migrations',
    "UPDATE migrations SET name = ''",
    "SELECT setval('users_id_seq', 1)",
    'SELECT rolpassword FROM pg_authid',
    "SELECT pg_read_file('/etc/passwd')",
    "COPY users FROM PROGRAM 'id'",
    'ALTER ROLE CURRENT_USER CREATEDB',
    'SET ROLE property_finance_owner',
    "SET session_replication_role = 'replica'",
  ])('PostgreSQL refuses %s', async (statement) => {
    const refused = service.sql(roles.renamed(statement));
    await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^42501$/) as string });
  });

  it('a table of a later migration can be written without another grant', async () => {
    await roles.run(roles.ownerUrl, ['CREATE TABLE later (id bigserial, note text)']);
    expect(await service.sql("INSERT INTO later (note) VALUES ('x') RETURNING id")).toEqual([{ id: '1' }]);
    await roles.run(roles.ownerUrl, ['DROP TABLE later']);
  });
});

describe('a role that may not change the schema, on one that is not current,', () => {
  let roles: Roles;

  beforeEach(async () => {
    roles = await Roles.make();
    await roles.run(roles.ownerUrl, [`GRANT USAGE ON SCHEMA public TO property_finance`]);
  });

  it.each(['true', 'false'])('waits for the owner to migrate and says so (DB_MIGRATE=%s)', async (flag) => {
    const log = new LogLines();
    const service = await Launched.at(roles.url, { DB_MIGRATE: flag, LOG_LEVEL: 'warn' });
    await until(() => log.at('warn').length > 0);
    expect(log.text).toContain('run \\"npm run cli -- db migrate\\"');
    if (flag === 'true') expect(log.text).toContain('as the owner of the schema');
    expectProblem(await service.caller().get('/api/properties'), 503, 'service-unavailable');
    expect((await service.anonymous.get('/actuator/health/liveness')).status).toBe(200);
    expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(503);
    expect((await run('db migrate', roles.ownerUrl)).exitCode).toBe(0);
    await roles.grant();
    await service.ready();
    expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(200);
  });

  it.each(['db migrate', 'user list'])('is told so in one line by %s', async (words) => {
    const { exitCode, out, err } = await run(words, roles.url);
    expect({ exitCode, out, lines: err.length }).toEqual({ exitCode: 1, out: [], lines: 1 });
    expect(err[0]).toMatch(/permission denied for schema public.*as the owner of the schema/);
  });

  it('is found wrong by the doctor', async () => {
    const { exitCode, out } = await run('doctor', roles.url);
    expect(exitCode).toBe(1);
    expect(out.filter((line) => line.startsWith('FAIL'))).toEqual([
      expect.stringMatching(
        /schema .*migrations are missing, and the role has no right to make tables in the schema public$/,
      ),
    ]);
    expect(out.join('\n')).toMatch(
      /→ as superuser: ALTER DATABASE … OWNER TO …; .* as the owner of the schema: .*npm run cli -- db migrate$/m,
    );
  });

  it('is told when the rights on the tables are missing', async () => {
    await run('db migrate', roles.ownerUrl);
    for (const env of [{ DB_MIGRATE: 'true' }, { DB_MIGRATE: 'false' }]) {
      const { exitCode, err } = await run('user list', roles.url, env);
      expect({ exitCode, lines: err.length }).toEqual({ exitCode: 1, lines: 1 });
      expect(err[0]).toMatch(/closed to this role \(permission denied .*docs\/security\.md/);
    }
  });
});
