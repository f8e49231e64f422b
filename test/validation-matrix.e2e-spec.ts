import { bodyOf, digitsOf, expectFaults, pageOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { ACCEPTED_DATE_TIMES, REFUSED_DATE_TIMES } from './support/date-times.js';
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

/** The first value of every field in one request, the second of every field in another, and so on. */
function roundsOf<Value extends readonly [token: string, ...rest: unknown[]]>(
  fields: Fields,
  valuesOf: (kind: Kind) => readonly Value[],
): Round<Value>[] {
  const lists = Object.entries(fields).map(([field, kind]) => [field, valuesOf(kind)] as const);
  return Array.from({ length: Math.max(...lists.map(([, list]) => list.length)) }, (_, index) => {
    const values = lists.flatMap(([field, list]) =>
      list.slice(index, index + 1).map((it) => [field, it] as const),
    );
    const tokens = Object.fromEntries(values.map(([field, [token]]) => [field, token]));
    const shown = values.map(([field, [token]]) => `${field}=${token.slice(0, 20)}`).join(', ');
    return { shown, tokens, values };
  });
}

const acceptedOf = (fields: Fields): Round<Kind['accepted'][number]>[] =>
  roundsOf(fields, (kind) => kind.accepted);
const refusedOf = (fields: Fields): Round<Kind['refused'][number]>[] =>
  roundsOf(fields, (kind) => kind.refused);

const nullsFor = (fields: Fields): Record<string, null> =>
  Object.fromEntries(Object.keys(fields).map((field) => [field, null]));

/** Every value is refused, with what its message must name, and nothing else is. */
function expectRefusal(answer: Answer, fields: Fields, { values }: Round<Kind['refused'][number]>): void {
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
function expectEcho(answer: Answer, { values }: Round<Kind['accepted'][number]>): void {
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

  it.each(acceptedOf(fields))('answers 200 and stores $shown', async (round) => {
    const body = rawJson(request(), round.tokens);
    const created = await owner.post(path, body);
    expectEcho(created, round);
    expectEcho(await owner.get(created.headers.get('location')!), round);
    expectEcho(await owner.put(target, body), round);
    expectEcho(await owner.get(target), round);
  });

  describe('is answered 400', () => {
    let before: string[];
    const state = async (): Promise<string[]> => [
      (await owner.get(target)).text,
      String(pageOf(await owner.get(path)).totalElements),
    ];
    beforeAll(async () => {
      before = await state();
    });

    it.each(refusedOf(fields))('by POST and PUT for $shown', async (round) => {
      const body = rawJson(request(), round.tokens);
      for (const answer of [await owner.post(path, body), await owner.put(target, body)])
        expectRefusal(answer, fields, round);
    });

    it.each([{}, nullsFor(required)])('for all faults at once: every required field of %j', async (body) => {
      expectFaults(await owner.post(path, body), ...Object.keys(required));
      expectFaults(await owner.put(target, body), ...Object.keys(required));
    });

    it('for all faults at once: every field, when each is wrong', async () => {
      const wrong = Object.fromEntries(Object.keys(fields).map((field) => [field, '[1.5]']));
      const names = Object.keys(fields).map((field) => (field === 'tags' ? 'tags[0]' : field));
      expectFaults(await owner.post(path, rawJson({}, wrong)), ...names);
      expectFaults(await owner.put(target, rawJson({}, wrong)), ...names);
    });

    it('has changed nothing', async () => {
      expect(before).toHaveLength(2);
      expect(await state()).toEqual(before);
    });
  });

  it('takes null for every optional field as if it were left out', async () => {
    const bodies = [request(), { ...request(), ...nullsFor(optional) }];
    const [without, withNulls] = await Promise.all(bodies.map((body) => owner.post(path, body)));
    for (const field of Object.keys(optional))
      expect([field, bodyOf(withNulls!)[field]]).toEqual([field, bodyOf(without!)[field]]);
    expect([without!.status, withNulls!.status]).toEqual([200, 200]);
  });
});

describe('a date-time', () => {
  it.each(ACCEPTED_DATE_TIMES)('takes %s and answers %s, in a search as well', async (date, instant) => {
    const created = await owner.post('/api/transactions', transactionRequest(propertyId, { date }));
    expect([created.status, bodyOf(created)['date']]).toEqual([200, instant]);
    const found = await owner.post('/api/transactions/search', { startDate: date, endDate: date });
    const dates = (bodyOf(found)['content'] as { date: string }[]).map((row) => row.date);
    expect(new Set(dates)).toEqual(new Set([instant]));
  });

  it.each(REFUSED_DATE_TIMES)('is not %j', async (date) => {
    expectFaults(await owner.post('/api/transactions', transactionRequest(propertyId, { date })), 'date');
  });
});

describe('a search request', () => {
  const search = (body: unknown): Promise<Answer> => owner.post('/api/transactions/search', body);

  it.each(acceptedOf(SEARCH))('answers 200 for $shown', async ({ tokens }) => {
    expect(await search(rawJson({}, tokens))).toMatchObject({ status: 200 });
  });

  it.each(refusedOf(SEARCH))('answers 400 for $shown', async (round) => {
    expectRefusal(await search(rawJson({}, round.tokens)), SEARCH, round);
  });

  it('has no required field, and takes null for any as if it were left out', async () => {
    await createTransaction(owner, propertyId, { description: 'kept' });
    const nothing = await search({});
    const nulls = await search(nullsFor(SEARCH));
    expect(pageOf(nothing).totalElements).toBeGreaterThan(0);
    expect(nulls.text).toBe(nothing.text);
  });

  it('is refused for all faults at once', async () => {
    const wrong = Object.fromEntries(Object.keys(SEARCH).map((field) => [field, '[1.5]']));
    expectFaults(await search(rawJson({}, wrong)), ...Object.keys(SEARCH));
  });
});

describe('a sign-up', () => {
  const fields = { ...SIGN_UP_REQUIRED, ...SIGN_UP_OPTIONAL };
  const signUp = (tokens: Readonly<Record<string, string>>): Promise<Answer> =>
    service.anonymous.post('/api/auth/signup', rawJson({ ...signUpRequest() }, tokens));
  const countAccounts = (): Promise<unknown> => service.sql('SELECT count(*) FROM users');

  it.each(acceptedOf(fields))('answers 201 and stores $shown', async ({ tokens, values }) => {
    const answer = await signUp(tokens);
    expect(answer.status).toBe(201);
    for (const [field, [token, echo = token]] of values)
      if (field !== 'password') expect([field, bodyOf(answer)[field]]).toEqual([field, JSON.parse(echo)]);
    const admin = await service.account('ADMIN');
    expect((await admin.get(answer.headers.get('location')!)).text).toBe(answer.text);
  });

  it.each(refusedOf(fields))('answers 400 and makes no account for $shown', async (round) => {
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
