import { readFileSync, writeFileSync } from 'node:fs';
import { IdempotencyKeyCleaner } from '../src/database/idempotency-keys.js';
import { nextOf } from './support/cursor-walk.js';
import * as make from './support/factories.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { signUpRequest } from './support/sign-up.js';

type Request = [line: string, body?: unknown, headers?: Record<string, string>];

const NEXT = 'GET the next page'; // the Link of the response before
const CLEANING = 'database/idempotency-keys';
const ACCOUNT = signUpRequest();
const SEARCH = {
  ...{ startDate: '2020-01-01T00:00Z', endDate: '2030-01-01T00:00Z', minAmount: 1, maxAmount: 2 },
  ...{ type: 'INCOME', category: 'TAXES', status: 'PAID', paymentMethod: 'CASH', vendor: 'x' },
  ...{ frequency: 'DAILY', approvalStatus: 'y', overdue: true, searchTerm: 'a', sortBy: 'amount' },
};

/** By file, the requests that send its statements, first of the owner of these rows and then of an ADMIN. */
function requestsFor(property: number, transaction: number): Record<string, Request[]> {
  const row = make.transactionRequest(property);
  return {
    [CLEANING]: [],
    'users/users': [
      ['POST /api/auth/signup', ACCOUNT],
      ['POST /api/auth/signin', ACCOUNT],
      ['GET /api/users'],
      ['GET /api/users/1'],
      ['DELETE /api/users/1'],
    ],
    'properties/properties': [
      ['GET /api/properties?sort=name,desc&size=1'],
      [NEXT],
      ['POST /api/properties', make.propertyRequest(), { 'idempotency-key': 'a' }],
      [`GET /api/properties/${property}`],
      [`PUT /api/properties/${property}`, make.propertyRequest()],
      [`DELETE /api/properties/${property}`],
      [`DELETE /api/properties/${property}`, undefined, { 'if-match': '"9"' }],
    ],
    'transactions/transactions': [
      ['GET /api/transactions?size=1'],
      [NEXT],
      [`GET /api/transactions/property/${property}?page=1`],
      ['POST /api/transactions/search', SEARCH],
      ['POST /api/transactions', row],
      [`GET /api/transactions/${transaction}`],
      [`PUT /api/transactions/${transaction}`, row],
      [`DELETE /api/transactions/${transaction}`, undefined, { 'if-match': '"9"' }],
      ['POST /api/transactions/batch', { transactions: [row] }],
    ],
    'reports/reports': [
      ['GET /api/reports/profit-and-loss?groupBy=property,month'],
      ['GET /api/reports/tax-year?year=2026'],
      ['GET /api/reports/cash-flow'],
    ],
    'transfers/transfers': [
      ['POST /api/transactions/export', {}],
      ['POST /api/transactions/import', JSON.stringify(row), { 'content-type': 'application/x-ndjson' }],
    ],
  };
}

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
  return `${lines.join('\n').trim()};`;
}

/** The statements that no file has yet, under a heading. */
async function sentIn(heading: string, work: () => Promise<unknown>): Promise<string[]> {
  const sent = watchStatements();
  sent.clear();
  await work();
  const texts = [...new Set(sent.all().map(({ text }) => formatted(text)))];
  const added = texts.filter((text) => /\b(FROM|INTO)\b/.test(text) && !known.has(text));
  for (const text of added) known.add(text);
  return added.length === 0 ? [] : [`-- ${heading}`, ...added];
}

it.each(Object.keys(requestsFor(0, 0)))('npm run sql has written src/%s.sql', async (name) => {
  const parts = ['-- Written by npm run sql.'];
  if (name === CLEANING)
    parts.push(...(await sentIn('Each minute', () => service.app.get(IdempotencyKeyCleaner).clean())));
  let next: string | undefined;
  for (const caller of [owner, admin])
    for (const index of requestsFor(0, 0)[name]!.keys()) {
      const { id: property } = await make.createProperty(owner);
      await make.createTransaction(owner, property);
      const { id: transaction } = await make.createTransaction(owner, property);
      const [line, body, headers = {}] = requestsFor(property, transaction)[name]![index]!;
      const [method = '', path = ''] = line.split(' ');
      const heading = line.replace(String(property), ':property').replace(String(transaction), ':id');
      const send = async (): Promise<unknown> =>
        (next = nextOf(await caller.send(method, line === NEXT ? next! : path, { body, headers })));
      parts.push(...(await sentIn(`${heading}${caller === admin ? ' of an ADMIN' : ''}`, send)));
    }
  const file = `src/${name}.sql`;
  if (process.env['WRITE_SQL'] !== undefined) writeFileSync(file, `${parts.join('\n\n')}\n`);
  expect(readFileSync(file, 'utf8')).toBe(`${parts.join('\n\n')}\n`);
});
