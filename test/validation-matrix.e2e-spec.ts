import { bodyOf, digitsOf, expectFaults, pageOf } from './support/answers.js';
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
  expect(answer).toMatchObject({ status: 200 });
  for (const [field, [token, echo = token]] of values)
    if (/^-?\d/.test(echo)) expect([field, digitsOf(answer, field)]).toEqual([field, echo]);
    else expect([field, bodyOf(answer)[field]]).toEqual([field, JSON.parse(echo)]);
}

let service: Service;
let owner: Account;
let propertyId: number;

beforeAll(async () => {
  service = await startService();
  owner = await service.account();
  propertyId = (await createProperty(owner)).id;
});

describe.each([
  {
    resource: 'property',
    path: '/api/properties',
    required: PROPERTY_REQUIRED,
    optional: PROPERTY_OPTIONAL,
    request: () => propertyRequest(),
    create: async () => (await createProperty(owner)).id,
  },
  {
    resource: 'transaction',
    path: '/api/transactions',
    required: TRANSACTION_REQUIRED,
    optional: TRANSACTION_OPTIONAL,
    request: () => transactionRequest(propertyId),
    create: async () => (await createTransaction(owner, propertyId)).id,
  },
])('a $resource request', ({ path, required, optional, request, create }) => {
  const fields = { ...required, ...optional };
  let target: string;

  beforeAll(async () => {
    target = `${path}/${await create()}`;
  });

  it.each(roundsOf('accepted', fields))('answers 200 and stores $shown', async (round) => {
    const body = rawJson(request(), round.tokens);
    const created = await owner.post(path, body);
    expectEcho(created, round);
    expectEcho(await owner.get(created.headers.get('location')!), round);
    expectEcho(await owner.put(target, body), round);
    expectEcho(await owner.get(target), round);
  });

  const state = async (): Promise<unknown> => [
    (await owner.get(target)).text,
    pageOf(await owner.get(path)).totalElements,
  ];
  const bothWays = (body: unknown): Promise<Answer[]> =>
    Promise.all([owner.post(path, body), owner.put(target, body)]);

  it.each(roundsOf('refused', fields))(
    'by POST and PUT answers 400 and stores nothing for $shown',
    async (round) => {
      const before = await state();
      for (const answer of await bothWays(rawJson(request(), round.tokens)))
        expectRefusal(answer, fields, round);
      expect(await state()).toEqual(before);
    },
  );

  it.each([{}, nullsFor(required)])('with %j answers 400 for every required field', async (body) => {
    for (const answer of await bothWays(body)) expectFaults(answer, ...Object.keys(required));
  });

  it('with a fault in every field answers 400 for each', async () => {
    const wrong = Object.fromEntries(Object.keys(fields).map((field) => [field, '[1.5]']));
    const names = Object.keys(fields).map((field) => (field === 'tags' ? 'tags[0]' : field));
    for (const answer of await bothWays(rawJson({}, wrong))) expectFaults(answer, ...names);
  });

  it('takes null for every optional field as if it were left out', async () => {
    const bodies = [request(), { ...request(), ...nullsFor(optional) }];
    const [without, withNulls] = await Promise.all(bodies.map((body) => owner.post(path, body)));
    for (const field of Object.keys(optional))
      expect([field, bodyOf(withNulls!)[field]]).toEqual([field, bodyOf(without!)[field]]);
    expect([without!.status, withNulls!.status]).toEqual([200, 200]);
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

describe('a search', () => {
  const search = (body: unknown): Promise<Answer> => owner.post('/api/transactions/search', body);

  it.each(roundsOf('accepted', SEARCH))('answers 200 for $shown', async ({ tokens }) => {
    expect(await search(rawJson({}, tokens))).toMatchObject({ status: 200 });
  });

  it.each(roundsOf('refused', SEARCH))('answers 400 for $shown', async (round) => {
    expectRefusal(await search(rawJson({}, round.tokens)), SEARCH, round);
  });

  it('has no required field, and takes null for any as if it were left out', async () => {
    await createTransaction(owner, propertyId, { description: 'kept' });
    const nothing = await search({});
    expect(pageOf(nothing).totalElements).toBeGreaterThan(0);
    expect((await search(nullsFor(SEARCH))).text).toBe(nothing.text);
  });
});

describe('a sign-up', () => {
  const fields = { ...SIGN_UP_REQUIRED, ...SIGN_UP_OPTIONAL };
  const signUp = (tokens: Readonly<Record<string, string>>): Promise<Answer> =>
    service.anonymous.post('/api/auth/signup', rawJson({ ...signUpRequest() }, tokens));
  const countAccounts = (): Promise<unknown> => service.sql('SELECT count(*) FROM users');

  it.each(roundsOf('accepted', fields))('answers 201 and stores $shown', async ({ tokens, values }) => {
    const answer = await signUp(tokens);
    expect(answer.status).toBe(201);
    for (const [field, [token, echo = token]] of values)
      if (field !== 'password') expect([field, bodyOf(answer)[field]]).toEqual([field, JSON.parse(echo)]);
    const admin = await service.account('ADMIN');
    expect((await admin.get(answer.headers.get('location')!)).text).toBe(answer.text);
  });

  it.each(roundsOf('refused', fields))('answers 400 and makes no account for $shown', async (round) => {
    const before = await countAccounts();
    expectRefusal(await signUp(round.tokens), fields, round);
    expect(await countAccounts()).toEqual(before);
  });
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
