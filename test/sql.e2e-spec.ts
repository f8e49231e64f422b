import type { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Changes } from '../src/database/changes.js';
import { Connections } from '../src/database/connections.js';
import { Database, type Statement } from '../src/database/database.js';
import { forgetKeys } from '../src/database/idempotency-keys.js';
import { repositories } from './support/repositories.js';
import { requestsFor, sendEach } from './support/requests.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';

/** What each minute does. */
const CLEANING: Readonly<Record<string, () => Promise<unknown>>> = {
  'database/idempotency-keys': () => forgetKeys(service.app.get(Database)),
  'database/changes': () => service.app.get(Changes).forget(),
};

const { properties, transactions } = repositories();
/** Expressions that stand at the top of a file, and as `:name` in all statements, so that a new field is one change. */
const EXPRESSIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'properties/properties': { propertyJson: properties.view.json },
  'transactions/transactions': {
    transactionJson: transactions.view.json,
    summaryJson: transactions.summary.json,
  },
  'transfers/transfers': { octets: transactions.view.octets },
};

/** What several of such requests send that come in one moment. */
const OF_ONE_MOMENT: Readonly<Record<string, readonly Statement[]>> = {
  'properties/properties': [properties.reads.get.ofEach],
  'transactions/transactions': [
    transactions.reads.get.ofEach,
    ...transactions.groups.map(({ many }) => many),
  ],
};

let service: Service;
let owner: Account;
let admin: Account;
const known = new Set<string>();

beforeAll(async () => {
  service = await startService();
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
});

const CLAUSE = /^(FROM|JOIN|WHERE|SET|VALUES|GROUP|ORDER|LIMIT|RETURNING|UNION)$|\(SELECT$/;

/** A line for each clause, indented by its parentheses. */
function formatted(text: string): string {
  const lines = [''];
  let depth = 0;
  for (const word of text.trim().split(/\s+/)) {
    const line = lines.pop()!;
    const isBroken =
      (CLAUSE.test(word) && !/ (LEFT|DISTINCT)$/.test(line)) || line.length + word.length > 105;
    lines.push(...(isBroken ? [line, '  '.repeat(depth + 1) + word] : [`${line} ${word}`]));
    depth += word.split('(').length - word.split(')').length;
  }
  return lines.join('\n').trim();
}

function shortened(text: string): string {
  const named = Object.values(EXPRESSIONS).flatMap((expressions) => Object.entries(expressions));
  return named.reduce((short, [name, expression]) => short.replaceAll(expression, `:${name}`), text);
}

/** The statements that no file has yet, under a heading. */
async function sentIn(heading: string, work: () => Promise<unknown>): Promise<string[]> {
  const sent = watchStatements({ withCleaning: true });
  sent.clear();
  await work();
  const texts = [...new Set(sent.all().map(({ text }) => `${formatted(shortened(text))};`))];
  const added = texts.filter((text) => /\b(FROM|INTO|UPDATE)\b/.test(text) && !known.has(text));
  for (const text of added) known.add(text);
  return added.length === 0 ? [] : [`-- ${heading}`, ...added];
}

it('npm run sql has written each statement into the first file that has a request for it', async () => {
  for (const name of [...Object.keys(CLEANING), ...Object.keys(requestsFor(0, 0))]) {
    const parts = ['-- Written by npm run sql.'];
    for (const [expression, text] of Object.entries(EXPRESSIONS[name] ?? {}))
      parts.push(`-- :${expression}`, formatted(text));
    const cleaning = CLEANING[name];
    if (cleaning !== undefined) parts.push(...(await sentIn('Each minute', cleaning)));
    if (name === 'database/changes')
      parts.push(
        ...(await sentIn('Before each page of changes', () => service.app.get(Changes).start(owner))),
      );
    for (const caller of [owner, admin])
      await sendEach(
        (...ids) => requestsFor(...ids)[name] ?? [],
        { owner, caller },
        async (heading, send) =>
          void parts.push(...(await sentIn(`${heading}${caller === admin ? ' of an ADMIN' : ''}`, send))),
      );
    for (const { name: of, text } of OF_ONE_MOMENT[name] ?? [])
      parts.push(`-- Several at once: ${of}`, `${formatted(shortened(text))};`);
    const file = `src/${name}.sql`;
    if (process.env['WRITE_SQL'] !== undefined) writeFileSync(file, `${parts.join('\n\n')}\n`);
    expect(readFileSync(file, 'utf8')).toBe(`${parts.join('\n\n')}\n`);
  }
});

it('a connection has the columns of a named statement described once', async () => {
  const client = await service.app.get(Connections).pool.connect();
  const described = jest.fn();
  (Reflect.get(client, 'connection') as EventEmitter).on('rowDescription', described);
  const statement = { name: 'described', text: 'SELECT $1::integer AS id, $2::text AS name' };
  const read = async (...values: unknown[]) => (await client.query({ ...statement, values })).rows as unknown;
  expect(await read(1, 'one')).toEqual([{ id: 1, name: 'one' }]);
  expect(await read(2, null)).toEqual([{ id: 2, name: null }]);
  expect(described).toHaveBeenCalledTimes(1);
  client.release();
});

it('a named statement is read alike whether it failed, found nothing or had no columns before', async () => {
  const client = await service.app.get(Connections).pool.connect();
  const read = async (name: string, text: string, ...values: unknown[]) =>
    client.query<Record<string, unknown>>({ name, text, values });
  const quotient = 'SELECT 6 / $1::integer AS quotient';
  for (let times = 0; times < 2; times++) {
    await expect(read('failed', quotient, 0)).rejects.toThrow('division by zero');
    expect((await read('failed', quotient, 2)).rows).toEqual([{ quotient: 3 }]);
    await expect(read('wrong', 'SELEC $1', 1)).rejects.toThrow('syntax error');
    const set = await read('columnless', `SELECT FROM generate_series(1, $1::integer)`, 2);
    expect([set.rowCount, set.rows]).toEqual([2, [{}, {}]]);
  }
  const series = `SELECT n::bigint AS n, n > 1 AS b, date '2026-01-01' + n AS d, json_build_object('n', n) AS j, NULL AS x
    FROM generate_series(1, $1::integer) n`;
  expect((await read('series', series, 0)).rows).toEqual([]);
  const { rows } = await read('series', series, 2);
  expect(rows).toEqual((await client.query(series, [2])).rows); // an unnamed statement is described each time
  expect(rows[0]).not.toBe(rows[1]);
  client.release();
});
