import { bodyOf, digitsOf, expectFaults } from './support/answers.js';
import type { Answer } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import {
  type Fields,
  type Kind,
  PROPERTY_OPTIONAL,
  PROPERTY_REQUIRED,
  SEARCH,
  SIGN_UP_OPTIONAL,
  SIGN_UP_REQUIRED,
  TRANSACTION_OPTIONAL,
  TRANSACTION_REQUIRED,
} from './support/kinds/requests.js';
import { rawJson } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';
import { signUpRequest } from './support/sign-up.js';

/** One value for each field that has that many. */
interface Round<Value> {
  /** For the test's name: each field with the beginning of its value. */
  readonly shown: string;
  /** By field, for the body. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [field: string, value: Value])[];
}

type Values = 'accepted' | 'refused';
type ValueRound<Name extends Values> = Round<Kind[Name][number]>;

/** The first value of every field in one request, the second of every field in another, and so on. */
function roundsOf<Name extends Values>(name: Name, fields: Fields): ValueRound<Name>[] {
  const lists = Object.entries(fields).map(([field, kind]): [string, Kind[Name]] => [field, kind[name]]);
  return Array.from({ length: Math.max(...lists.map(([, list]) => list.length)) }, (_, index) => {
    const values = lists.flatMap(([field, list]) =>
      list.slice(index, index + 1).map((it): [string, Kind[Name][number]] => [field, it]),
    );
    const tokens = Object.fromEntries(values.map(([field, [token]]) => [field, token]));
    const shown = values.map(([field, [token]]) => `${field}=${token.slice(0, 20)}`).join(', ');
    return { shown, tokens, values };
  });
}

const nullsFor = (fields: Fields): Record<string, null> =>
  Object.fromEntries(Object.keys(fields).map((field) => [field, null]));

/** Every value is refused, with what its message must name, and nothing else is. */
function expectRefusal(answer: Answer, fields: Fields, { values }: ValueRound<'refused'>): void {
  const faults = values.flatMap(([field, [, ...below]]) =>
    (below.length === 0 ? [''] : below).map((path) => ({
      path: field + path,
      names: fields[field]!.names ?? [],
    })),
  );
  const errors = expectFaults(answer, ...faults.map(({ path }) => path));
  for (const { path, names } of faults) for (const name of names) expect(errors[path]).toContain(name);
}

/** Numbers digit for digit; all else by value, for JSON may be spaced and ordered in many ways. */
function expectEcho(answer: Answer, { values }: ValueRound<'accepted'>): void {
  for (const [field, [token, echo = token]] of values.filter(([name]) => name !== 'password'))
    if (/^-?\d/.test(echo)) expect([field, digitsOf(answer, field)]).toEqual([field, echo]);
    else expect([field, bodyOf(answer)[field]]).toEqual([field, JSON.parse(echo)]);
}

let service: Service;
let owner: Account;
let admin: Account;
let propertyId: number;
let transactionId: number;

beforeAll(async () => {
  service = await startService();
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
  propertyId = (await createProperty(owner)).id;
  transactionId = (await createTransaction(owner, propertyId)).id;
});

const stored = (): Promise<unknown> => {
  const tables = ['users', 'properties', 'transactions'].map(
    (table) => `SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} t`,
  );
  return service.sql(tables.join(' UNION ALL '));
};

const PROPERTY = {
  required: PROPERTY_REQUIRED,
  optional: PROPERTY_OPTIONAL,
  valid: (): object => propertyRequest(),
};
const TRANSACTION = {
  required: TRANSACTION_REQUIRED,
  optional: TRANSACTION_OPTIONAL,
  valid: (): object => transactionRequest(propertyId),
};

describe.each([
  { line: 'POST /api/properties', ...PROPERTY },
  { line: 'PUT /api/properties/:property', ...PROPERTY },
  { line: 'POST /api/transactions', ...TRANSACTION },
  { line: 'PUT /api/transactions/:transaction', ...TRANSACTION },
  { line: 'POST /api/transactions/search', required: {}, optional: SEARCH, valid: () => ({}) },
  {
    line: 'POST /api/auth/signup',
    required: SIGN_UP_REQUIRED,
    optional: SIGN_UP_OPTIONAL,
    valid: () => ({ ...signUpRequest() }),
  },
])('$line', ({ line, required, optional, valid }) => {
  const fields: Fields = { ...required, ...optional };
  const [method, path] = line.split(' ') as [string, string];
  const target = (): string =>
    path.replace(':property', String(propertyId)).replace(':transaction', String(transactionId));
  const send = (body: unknown): Promise<Answer> => owner.send(method, target(), { body });

  it.each(roundsOf('accepted', fields))('succeeds and stores $shown', async (round) => {
    const answer = await send(rawJson(valid(), round.tokens));
    expect(answer.status).toBe(path.endsWith('/signup') ? 201 : 200);
    if (path.endsWith('/search')) return; // which finds something or nothing
    expectEcho(answer, round);
    expectEcho(await admin.get(answer.headers.get('location') ?? target()), round);
  });

  it.each(roundsOf('refused', fields))('answers 400 and stores nothing for $shown', async (round) => {
    const before = await stored();
    expectRefusal(await send(rawJson(valid(), round.tokens)), fields, round);
    expect(await stored()).toEqual(before);
  });

  it('answers 400 for each field that is missing, null or wrong, all at once', async () => {
    const missing = Object.keys(required);
    for (const body of [{}, nullsFor(required)])
      if (missing.length > 0) expectFaults(await send(body), ...missing);
    const wrong = Object.fromEntries(Object.keys(fields).map((field) => [field, '[1.5]']));
    const names = Object.keys(fields).map((field) => (field === 'tags' ? 'tags[0]' : field));
    expectFaults(await send(rawJson({}, wrong)), ...names);
  });

  it('takes null for every optional field as if it were left out', async () => {
    const without = await send(valid());
    const withNulls = await send({ ...valid(), ...nullsFor(optional) });
    for (const name of [...Object.keys(optional), 'content'])
      expect([name, bodyOf(withNulls)[name]]).toEqual([name, bodyOf(without)[name]]);
    expect([Math.floor(without.status / 100), withNulls.status]).toEqual([2, without.status]);
  });
});

it.each([
  ['2026-01-15T10:30:00Z', '2026-01-15T10:30:00.000Z'],
  // without a zone it is UTC
  ['2026-01-15T10:30:00', '2026-01-15T10:30:00.000Z'],
  ['2026-01-15T10:30:00.25', '2026-01-15T10:30:00.250Z'],
  // seconds may be left out
  ['2026-01-15T10:30+02:00', '2026-01-15T08:30:00.000Z'],
  // zones
  ['2026-01-15T10:30:00-00:00', '2026-01-15T10:30:00.000Z'],
  ['2026-01-15T10:30:00+23:59', '2026-01-14T10:31:00.000Z'],
  ['2026-01-15T10:30:00-23:59', '2026-01-16T10:29:00.000Z'],
  ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
  ['2026-01-15T10:30:00-0330', '2026-01-15T14:00:00.000Z'],
  ['2026-01-15T10:30:00.25-0800', '2026-01-15T18:30:00.250Z'],
  ['2026-01-15T10:30:00+23', '2026-01-14T11:30:00.000Z'],
  // a comma is a decimal point as well
  ['2026-01-15T10:30:00,5Z', '2026-01-15T10:30:00.500Z'],
  ['2026-01-15T10:30:00,25+0200', '2026-01-15T08:30:00.250Z'],
  // fractions beyond milliseconds are cut off, never rounded
  ['2026-01-15T10:30:00.1Z', '2026-01-15T10:30:00.100Z'],
  ['2026-01-15T10:30:00.1239Z', '2026-01-15T10:30:00.123Z'],
  [`2026-01-15T10:30:00.${'9'.repeat(500)}Z`, '2026-01-15T10:30:00.999Z'],
  // the letters of RFC 3339 in either case
  ['2026-01-15t10:30:00z', '2026-01-15T10:30:00.000Z'],
  // the calendar
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ['1582-10-10T00:00:00Z', '1582-10-10T00:00:00.000Z'],
  // the years 0001 to 9999
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0099-12-31T12:00:00Z', '0099-12-31T12:00:00.000Z'],
  ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T22:59:59-01:00', '9999-12-31T23:59:59.000Z'],
])('the date-time %s means %s, in a search as well', async (date, instant) => {
  const created = await owner.post('/api/transactions', transactionRequest(propertyId, { date }));
  expect([created.status, bodyOf(created)['date']]).toEqual([200, instant]);
  const found = await owner.post('/api/transactions/search', { startDate: date, endDate: date });
  const dates = (bodyOf(found)['content'] as { date: string }[]).map((row) => row.date);
  expect(new Set(dates)).toEqual(new Set([instant]));
});

it.each([
  ...['', 'now', 'infinity', '2026-01-15', '10:30:00Z', '1768473000', 'Thu, 15 Jan 2026 10:30:00 GMT'],
  ...['2026-0115T10:30:00Z', '202601-15T10:30:00Z', '2026-01-15T1030Z', '2026-01-15T10:3000Z'],
  ...['2026-W03-4T10:30:00Z', '2026-015T10:30:00Z', '2026-01-15T10:30.5Z', '2026-01-15T10:30:00.Z'],
  ...['2026-01-15T10:30,5Z', '2026-01-15 10:30:00Z', ' 2026-01-15T10:30:00Z', '2026-01-15T10:30:00Z '],
  ...['2026-01-15T10:30:00Z\n', '2026-01-15T10:30:00Z\u0000', '2026-1-15T10:30:00Z', '2026-01-15T1:30:00Z'],
  // no such day
  ...['2026-02-29', '1900-02-29', '2026-00-15', '2026-13-15', '2026-01-00', '2026-01-32'].map(
    (day) => `${day}T00:00:00Z`,
  ),
  // no such time
  ...['2026-01-15T24:00:00Z', '2026-01-15T10:60:00Z', '2026-12-31T23:59:60Z'],
  // no such zone
  ...['+24:00', '+01:60', '+1:00', '+1', '+010', '+01:', '+01:00:00', 'UTC', '[Europe/Paris]'].map(
    (zone) => `2026-01-15T10:30:00${zone}`,
  ),
  ...['2026-01-15T10:30:00Z+01:00', '2026-01-15T10:30:00\u221201:00'],
  // outside of the years 0001 to 9999, if only by the zone; the first is the year 1 in UTC
  ...['0000-12-31T23:59:59-01:00', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'],
  ...['10000-01-01T00:00:00Z', '+002026-01-15T10:30:00Z', '-0001-01-15T10:30:00Z'],
  '\u0662\u0660\u0662\u0666-01-15T10:30:00Z',
])('%j is no date-time', async (date) => {
  expectFaults(await owner.post('/api/transactions', transactionRequest(propertyId, { date })), 'date');
});

it.each([
  [49, 49],
  [50, 50],
  [500, 50],
])(
  'of %i faults with long names the first %i are listed, by names of 100 characters',
  async (count, listed) => {
    const keys = Array.from({ length: count }, (_, index) => `${index}-`.padEnd(1000, 'k'));
    const metadata = Object.fromEntries(keys.map((key) => [key, 1]));
    const answer = await owner.post('/api/transactions', transactionRequest(propertyId, { metadata }));
    expectFaults(answer, ...keys.slice(0, listed).map((key) => `metadata.${key.slice(0, 100)}`));
  },
);
