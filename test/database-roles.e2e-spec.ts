import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MIGRATIONS } from '../migrations/all.js';
import { bodyOf, expectProblem } from './support/responses.js';
import { cli, type CliResult } from './support/cli.js';
import { Client } from './support/client.js';
import { withConnection } from './support/connect.js';
import { serverUrl } from './support/database.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { LogLines } from './support/log-lines.js';
import { Service, startService } from './support/service.js';
import { signIn, signUp, signUpRequest } from './support/sign-up.js';
import { differencesOf } from './support/totals.js';
import { until } from './support/until.js';
import { environmentFor } from './support/settings.js';

const READINESS = '/actuator/health/readiness';

/** The SQL of docs/security.md: of the superuser, and of the schema's owner. */
const [SETUP = '', GRANTS = ''] = [
  ...readFileSync('docs/security.md', 'utf8').matchAll(/^```sql\n([^]*?)^```$/gm),
].map(([, block]) => block!);

/** A database set up as documented, under names that no other test has. */
async function makeRoles() {
  const database = `roles_${randomUUID().replaceAll('-', '')}`;
  const renamed = (text: string): string =>
    text.replaceAll('property_finance', database).replace(/ LOCALE '.*?'/, ''); // only Linux has that one
  const as = (role: string): string => Object.assign(new URL(serverUrl(database)), { username: role }).href;
  /** CREATE DATABASE must be a statement of its own. */
  const run = (url: string, text: string): Promise<void> =>
    withConnection(url, async (client) => {
      for (const statement of renamed(text).split(';\n')) await client.query(statement);
    });
  await run(serverUrl('postgres'), SETUP);
  const owner = as(`${database}_owner`);
  return { url: as(database), ownerUrl: owner, renamed, asOwner: (text: string) => run(owner, text) };
}
type Roles = Awaited<ReturnType<typeof makeRoles>>;

const run = (words: string, url: string, env: Record<string, string> = {}): Promise<CliResult> =>
  cli(words.split(' '), { env: { ...environmentFor(url), ...env } });

describe('the documented role of the service', () => {
  let roles: Roles;
  let service: Service;

  beforeAll(async () => {
    roles = await makeRoles();
    expect((await run('db migrate', roles.ownerUrl)).exitCode).toBe(0);
    await roles.asOwner(GRANTS);
    service = await startService({}, roles.url);
  });

  it('is enough for accounts and for each kind of statement about the ledger', async () => {
    const request = signUpRequest();
    expect((await signUp(service.anonymous, request)).status).toBe(201);
    const session = bodyOf(await signIn(service.anonymous, request));
    const owner = new Client(service.url, session['accessToken'] as string);
    const [first, second] = [await createProperty(owner), await createProperty(owner)];
    const { id } = await createTransaction(owner, first.id);
    const key = { 'idempotency-key': 'a' };
    const responses = [
      await owner.post('/api/transactions', transactionRequest(first.id), key),
      await owner.put(`/api/transactions/${id}`, transactionRequest(second.id)),
      await owner.post('/api/transactions/search', { searchTerm: 'nights', overdue: false }),
      await owner.post('/api/transactions/export', {}),
      await owner.get('/api/reports/profit-and-loss'),
      await owner.delete(`/api/transactions/${id}`),
      await owner.delete(`/api/properties/${second.id}`),
      await (await service.account('ADMIN')).delete(`/api/users/${(await service.account()).id}`),
    ];
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  });

  it('is enough for every command', async () => {
    const admin = await service.account('ADMIN');
    await createTransaction(admin, (await createProperty(admin)).id);
    await service.sql('DELETE FROM owner_totals');
    for (const [words, first] of [
      ['user create --username cli --email cli@example.com', /^Created user/],
      ['user set-role cli ADMIN', /^cli is ADMIN now/],
      ['user list', /^ID/],
      ['token mint --user cli', /^ey/],
      ['user delete cli', /^Deleted cli/],
      ['db status', /^applied/],
      ['db migrate', /^The schema is up to date/],
      ['db recount', /^owner \d+: 1 row/],
      ['doctor', /^ok/],
    ] as const) {
      const { exitCode, out, err } = await run(words, roles.url);
      expect({ words, exitCode, err }).toEqual({ words, exitCode: 0, err: [] });
      expect(out[0]).toMatch(first);
    }
    expect(await differencesOf(service)).toEqual([]);
  });

  it.each([
    'CREATE TABLE more (id int)',
    'CREATE FUNCTION more() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    `CREATE OR REPLACE FUNCTION count_property() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
    `CREATE TRIGGER more AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION count_property()`,
    'ALTER TABLE users ADD COLUMN more text',
    'ALTER TABLE transactions DISABLE TRIGGER transactions_totals_inserted',
    'TRUNCATE transactions',
    'DELETE FROM migrations',
    "SELECT setval('users_id_seq', 1)",
    'SELECT rolpassword FROM pg_authid',
    "COPY users FROM PROGRAM 'id'",
    'ALTER ROLE CURRENT_USER CREATEDB',
    'SET ROLE property_finance_owner',
    "SET session_replication_role = 'replica'",
  ])('is refused %s', async (statement) => {
    await expect(service.sql(roles.renamed(statement))).rejects.toMatchObject({ code: '42501' });
  });

  it('may write a table of a later migration', async () => {
    await roles.asOwner('CREATE TABLE later (id bigserial, note text)');
    expect(await service.sql("INSERT INTO later (note) VALUES ('x') RETURNING id")).toEqual([{ id: '1' }]);
    await roles.asOwner('DROP TABLE later');
  });
});

describe('the role of the service on an outdated schema', () => {
  let roles: Roles;

  beforeEach(async () => {
    roles = await makeRoles();
    await roles.asOwner('GRANT USAGE ON SCHEMA public TO property_finance');
  });

  it('waits for the owner to migrate, and logs it', async () => {
    const log = new LogLines();
    const service = await Service.at(roles.url, { LOG_LEVEL: 'warn' });
    await until(() => log.at('warn').length > 0);
    expect(log.text).toContain('run \\"npm run cli -- db migrate\\" as the owner of the schema');
    expectProblem(await service.caller().get('/api/properties'), 'service-unavailable');
    expect((await service.anonymous.get(READINESS)).status).toBe(503);
    expect((await run('db migrate', roles.ownerUrl)).exitCode).toBe(0);
    await roles.asOwner(GRANTS);
    await service.ready();
    expect((await service.anonymous.get(READINESS)).status).toBe(200);
  });

  it('waits in JSON lines only, and the doctor fails, where the tables belong to another role', async () => {
    const first = new MIGRATIONS[0]!().name;
    await run('db migrate', roles.ownerUrl);
    await run(`db rollback --to ${first}`, roles.ownerUrl);
    await roles.asOwner(GRANTS);
    await roles.asOwner('GRANT ALL ON SCHEMA public TO property_finance');
    await roles.asOwner('GRANT ALL ON ALL TABLES IN SCHEMA public TO property_finance');
    const printed = jest.spyOn(console, 'log').mockImplementation();
    const log = new LogLines();
    await Service.at(roles.url, { LOG_LEVEL: 'warn' });
    await until(() => log.at('warn').length > 0);
    expect(log.text).toContain('must be owner of');
    expect(printed.mock.calls).toEqual([]);
    const out = (await run('doctor', roles.url)).out.join('\n');
    expect(out).toMatch(/^FAIL +schema .*are missing, and the role .*does not own those there$/m);
  });

  it('makes commands fail with one line, and is a finding of the doctor with the remedy', async () => {
    const line = (text: RegExp): unknown => ({ exitCode: 1, out: [], err: [expect.stringMatching(text)] });
    const REFUSAL = /permission denied for schema public.*as the owner of the schema/;
    for (const words of ['db migrate', 'user list'])
      expect(await run(words, roles.url)).toEqual(line(REFUSAL));
    const out = (await run('doctor', roles.url)).out.join('\n');
    expect(out).toMatch(/^FAIL +schema .*migrations are missing, and the role may not make tables/m);
    expect(out).toMatch(
      /→ as the owner of the schema: .*db migrate; or, as superuser: ALTER DATABASE … OWNER TO …/,
    );
    await run('db migrate', roles.ownerUrl);
    expect(await run('user list', roles.url)).toEqual(line(/closed to this role .*docs\/security\.md/));
  });
});
