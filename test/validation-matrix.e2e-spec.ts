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
  PROPERTY_OPTIONAL,
  PROPERTY_REQUIRED,
  SEARCH,
  TRANSACTION_OPTIONAL,
  TRANSACTION_REQUIRED,
} from './support/kinds/requests.js';
import { brief, rawJson } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';

interface Case {
  readonly field: string;
  readonly token: string;
  readonly label: string;
}

const acceptedOf = (fields: Fields): (Case & { echo: string })[] =>
  Object.entries(fields).flatMap(([field, { accepted }]) =>
    accepted.map(([token, echo = token]) => ({ field, token, label: brief(token), echo })),
  );

const refusedOf = (fields: Fields): (Case & { paths: string[]; names: readonly string[] })[] =>
  Object.entries(fields).flatMap(([field, { refused, names = [] }]) =>
    refused.map(([token, ...below]) => ({
      field,
      token,
      label: brief(token),
      paths: below.length === 0 ? [field] : below.map((path) => field + path),
      names,
    })),
  );

function expectRefusal(
  answer: Answer,
  { paths, names }: { paths: string[]; names: readonly string[] },
): void {
  const errors = expectFaults(answer, ...paths);
  for (const message of Object.values(errors)) for (const name of names) expect(message).toContain(name);
}

/** Numbers digit for digit; all else by value, for JSON may be spaced and ordered in many ways. */
function expectEcho(answer: Answer, field: string, echo: string): void {
  expect(answer.status).toBe(200);
  if (/^-?\d/.test(echo)) expect(digitsOf(answer, field)).toBe(echo);
  else expect(bodyOf(answer)[field]).toEqual(JSON.parse(echo));
}

let service: Service;
let owner: Account;
let propertyId: number;

beforeAll(async () => {
  service = await startService();
  owner = await service.account();
  propertyId = (await createProperty(owner)).id;
});
afterAll(() => service.stop());

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

  it.each(acceptedOf(fields))('takes as $field $label, and keeps it', async ({ field, token, echo }) => {
    const body = rawJson(request(), { [field]: token });
    const created = await owner.post(path, body);
    expectEcho(created, field, echo);
    expectEcho(await owner.get(created.headers.get('location')!), field, echo);
    expectEcho(await owner.put(target, body), field, echo);
    expectEcho(await owner.get(target), field, echo);
  });

  describe('refused', () => {
    let before: string[];
    const state = async (): Promise<string[]> => [
      (await owner.get(target)).text,
      String(pageOf(await owner.get(path)).totalElements),
    ];
    beforeAll(async () => {
      before = await state();
    });

    it.each(refusedOf(fields))('for $field $label, by create and update', async (refusal) => {
      const body = rawJson(request(), { [refusal.field]: refusal.token });
      const answers = await Promise.all([owner.post(path, body), owner.put(target, body)]);
      for (const answer of answers) expectRefusal(answer, refusal);
    });

    it.each(Object.keys(required))('without %s, or with null for it', async (field) => {
      for (const token of [undefined, 'null']) {
        const body = rawJson(request(), { [field]: token });
        expectFaults(await owner.post(path, body), field);
        expectFaults(await owner.put(target, body), field);
      }
    });

    it('for all faults at once: every required field of an empty body', async () => {
      expectFaults(await owner.post(path, {}), ...Object.keys(required));
      expectFaults(await owner.put(target, {}), ...Object.keys(required));
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

  it.each(Object.keys(optional))('takes null for %s as if it were left out', async (field) => {
    const without = await owner.post(path, rawJson(request(), { [field]: undefined }));
    const withNull = await owner.post(path, rawJson(request(), { [field]: 'null' }));
    expect([without.status, withNull.status]).toEqual([200, 200]);
    expect(bodyOf(withNull)[field]).toEqual(bodyOf(without)[field]);
  });
});

describe('a date-time', () => {
  it.each(ACCEPTED_DATE_TIMES)('takes %s and answers %s, in a search as well', async (date, instant) => {
    const created = await owner.post('/api/transactions', transactionRequest(propertyId, { date }));
    expect([created.status, bodyOf(created)['date']]).toEqual([200, instant]);
    const read = await owner.get(created.headers.get('location')!);
    expect(bodyOf(read)['date']).toBe(instant);
    const found = await owner.post('/api/transactions/search', { startDate: date, endDate: date });
    const dates = (bodyOf(found)['content'] as { date: string }[]).map((row) => row.date);
    expect(new Set(dates)).toEqual(new Set([instant]));
  });

  it.each(REFUSED_DATE_TIMES)('is not %j', async (date) => {
    expectFaults(await owner.post('/api/transactions', transactionRequest(propertyId, { date })), 'date');
    expectFaults(await owner.post('/api/transactions/search', { startDate: date }), 'startDate');
  });
});

describe('a search request', () => {
  const search = (body: unknown): Promise<Answer> => owner.post('/api/transactions/search', body);

  it.each(acceptedOf(SEARCH))('takes as $field $label', async ({ field, token }) => {
    expect((await search(rawJson({}, { [field]: token }))).status).toBe(200);
  });

  it.each(refusedOf(SEARCH))('is refused for $field $label', async (refusal) => {
    expectRefusal(await search(rawJson({}, { [refusal.field]: refusal.token })), refusal);
  });

  it('has no required field, and takes null for any as if it were left out', async () => {
    await createTransaction(owner, propertyId, { description: 'kept' });
    const nothing = await search({});
    const nulls = await search(Object.fromEntries(Object.keys(SEARCH).map((field) => [field, null])));
    expect(pageOf(nothing).totalElements).toBeGreaterThan(0);
    expect(nulls.text).toBe(nothing.text);
  });

  it('is refused for all faults at once', async () => {
    const wrong = Object.fromEntries(Object.keys(SEARCH).map((field) => [field, '[1.5]']));
    expectFaults(await search(rawJson({}, wrong)), ...Object.keys(SEARCH));
  });
});

describe('many faults', () => {
  it('are listed up to fifty, the first ones', async () => {
    const tags = Array.from({ length: 200 }, () => 1);
    const answer = await owner.post('/api/transactions', transactionRequest(propertyId, { tags }));
    expectFaults(answer, ...Array.from({ length: 50 }, (_, index) => `tags[${index}]`));
  });

  it.each([49, 50])('are all listed when they are %i', async (count) => {
    const metadata = Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
    const answer = await owner.post('/api/transactions', transactionRequest(propertyId, { metadata }));
    expectFaults(answer, ...Object.keys(metadata).map((key) => `metadata.${key}`));
  });
});
