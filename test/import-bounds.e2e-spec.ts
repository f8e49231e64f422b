import { expectProblem } from './support/responses.js';
import { csv, Host, IMPORT } from './support/import-files.js';
import { Lock } from './support/locks.js';
import { type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';
import { Wire } from './support/wire.js';

let service: Service;
let host: Host;

beforeAll(async () => {
  const rows = { IMPORT_ROW_LIMIT: '250', IMPORTS_AT_ONCE: '4' };
  const waits = { DB_ACQUIRE_TIMEOUT: '1s', SHARE_TIMEOUT: '1s' };
  const bytes = { IMPORT_BODY_LIMIT: '2MiB', CLIENT_MEMORY: '14MiB' };
  service = (await startService({ ...bytes, ...waits, ...rows })).patient();
});
beforeEach(async () => (host = await Host.at(service)));

const hosts = (count: number): Promise<Host[]> =>
  Promise.all(Array.from({ length: count }, () => Host.at(service)));

/** The beginning of a file. */
const begin = async ({ account }: Host, header = '', length = 2_000_000, { url } = service): Promise<Wire> =>
  (await Wire.open(url)).send(
    `POST ${IMPORT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.token}\r\n` +
      `Content-Type: text/csv\r\nContent-Length: ${length}\r\n${header}\r\n\n`,
  );

it('an import of more rows than IMPORT_ROW_LIMIT answers 422 with the line of the first', async () => {
  const many = (count: number): string =>
    csv(...Array.from({ length: count }, (_, index) => ({ amount: `${index + 1}.25` })));
  expect(await host.imported(many(250))).toMatchObject({ rows: 250, created: 250 });
  expect(await differencesOf(service)).toEqual([]);
  const refusal = await host.refused(many(251), { query: 'duplicates=allow' });
  expect(refusal).toMatchObject({ rows: 250, faults: 1, duplicates: 250 });
  const reason = 'is beyond the 250 rows that a file may have';
  expect(refusal.findings.at(-1)).toEqual({ line: 252, field: null, reason });
});

it('an import is read with 8 MiB/s at most, and one byte more than IMPORT_BODY_LIMIT answers 413', async () => {
  const file = csv({ propertyId: host.property }).padEnd(2 * 1024 ** 2, '\n');
  const since = performance.now();
  expect(await host.imported(file)).toMatchObject({ created: 1 });
  expect(performance.now() - since).toBeGreaterThan(150); // of 250 ms, less those that it may be ahead
  expectProblem(await host.send(`${file}\n`), 'payload-too-large');
  const announced = await begin(host, '', file.length + 1);
  expectProblem(await announced.response(), 'payload-too-large'); // before its bytes
});

it.each([
  ['application/json', IMPORT, 415, 'must be text/csv or application/x-ndjson.'],
  ['text/plain', IMPORT, 415, 'must be text/csv or application/x-ndjson.'],
  ['text/csv; charset=latin1', IMPORT, 415, 'UTF-8'],
  ['TEXT/CSV; charset=utf-8; header=present', IMPORT, 200, '"rows":0'],
  ['text/csv', '/api/transactions', 415, 'must be application/json.'],
  ['application/x-ndjson', '/api/transactions/search', 415, 'must be application/json.'],
])('a body of %s to %s answers %i with "%s"', async (type, path, status, text) => {
  const response = await host.account.send('POST', path, { body: csv(), headers: { 'content-type': type } });
  expect([response.status, response.text]).toEqual([status, expect.stringContaining(text)]);
});

const HOLD_TOTALS = 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE';

it('an import does not wait for that of another owner', async () => {
  const other = await Host.at(service);
  await Lock.take(service, HOLD_TOTALS, [other.account.id]);
  expect(await host.imported(csv({}))).toMatchObject({ created: 1 });
});

it('an import waits while IMPORTS_AT_ONCE others are at work, and answers 503 after DB_ACQUIRE_TIMEOUT', async () => {
  const others = await hosts(4);
  const locks = await Promise.all(others.map(({ account }) => Lock.take(service, HOLD_TOTALS, [account.id])));
  const working = others.map((other) => other.send(csv({})));
  for (const lock of locks) await lock.waitedForBy(1);
  const since = performance.now();
  const fifth = await host.send(csv({}));
  expect(performance.now() - since).toBeGreaterThan(900);
  expect(expectProblem(fifth, 'service-unavailable').detail).toMatch(/files/);
  expect(fifth.headers.get('retry-after')).toBe('1');
  for (const lock of locks) await lock.release();
  expect((await Promise.all(working)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await host.imported(csv({}))).toMatchObject({ created: 1 });
});

it('an upload answers 408 once REQUEST_TIMEOUT is over, but for the time that its bytes would take with 64 KiB/s', async () => {
  const impatient = await startService({ REQUEST_TIMEOUT: '3s' }, service.settings.database.url);
  const [silent, slow, steady] = await Promise.all(
    (await hosts(3)).map((other) => begin(other, '', 400_001, impatient)),
  );
  let sent = 0;
  const timer = setInterval(() => {
    slow!.send('\n');
    if (sent++ < 4) steady!.send('\n'.repeat(100_000));
  }, 1000);
  for (const late of [silent, slow]) expectProblem(await late!.response(), 'request-timeout');
  expect((await steady!.response()).status).toBe(400);
  clearInterval(timer);
});

it('a second upload of an account answers 429 while the first comes in', async () => {
  const first = await begin(host, 'Expect: 100-continue\r\n');
  expect((await first.response()).status).toBe(100);
  expect(expectProblem(await host.send(csv({})), 'too-many-requests').detail).toMatch(/previous file/);
  first.end();
  expect(await host.imported(csv({}))).toMatchObject({ created: 1 });
});

it('an upload answers 400 for its header before the rest is there, and the next one of the account waits for the rest', async () => {
  const refused = await begin(host);
  refused.send(','.repeat(40_000));
  expect((await refused.response()).status).toBe(400);
  expectProblem(await host.send(csv({})), 'too-many-requests');
  refused.send(','.repeat(1_959_999));
  expect(await host.imported(csv({}))).toMatchObject({ created: 1 });
});

it('uploads of more bytes than may come in together answer 503', async () => {
  const begun = await Promise.all((await hosts(9)).map((other) => begin(other)));
  const wires = begun.map((wire) => wire.send('\n'.repeat(1_999_998)));
  const { status, text } = await Promise.race(wires.map((wire) => wire.response()));
  expect([status, text]).toEqual([503, expect.stringContaining('Too many large requests')]);
  for (const wire of wires) wire.end();
  await Promise.all(wires.map((wire) => wire.closed()));
  expect(await host.imported(csv({}))).toMatchObject({ created: 1 });
});
