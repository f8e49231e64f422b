import type { HttpResponse } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, startService } from './support/service.js';

const PROPERTY = 111_111_111; // stands for the id of a property in the attempts below
const TRANSACTION = 222_222_222;
const OWN_PROPERTY = 333_333_333; // the stranger's
const OWN_TRANSACTION = 444_444_444;
const MISSING = Number.MAX_SAFE_INTEGER;

type Ids = Readonly<Record<number, number>>;

let owner: Account;
let stranger: Account;
let foreign: Ids;
let missing: Ids;
let before: unknown;

/** The owner's rows. */
async function rows(): Promise<unknown> {
  const paths = [`/api/properties/${foreign[PROPERTY]}`, `/api/transactions/${foreign[TRANSACTION]}`];
  const responses = await Promise.all([...paths, '/api/transactions'].map((path) => owner.get(path)));
  return responses.map(({ text, headers }) => [text, headers.get('etag')]);
}

beforeAll(async () => {
  const service = await startService();
  [owner, stranger] = [await service.account(), await service.account()];
  const { id: property } = await createProperty(owner, { name: 'Secret cottage' });
  const secrets = { description: 'Secret deal', vendor: 'Secret vendor' };
  const { id: transaction } = await createTransaction(owner, property, secrets);
  const { id: ownProperty } = await createProperty(stranger);
  const { id: ownTransaction } = await createTransaction(stranger, ownProperty);
  const own = { [OWN_PROPERTY]: ownProperty, [OWN_TRANSACTION]: ownTransaction };
  foreign = { [PROPERTY]: property, [TRANSACTION]: transaction, ...own };
  missing = { [PROPERTY]: MISSING, [TRANSACTION]: MISSING, ...own };
  before = await rows();
});

const PATH = `/api/properties/${PROPERTY}`;
const TRANSACTION_PATH = `/api/transactions/${TRANSACTION}`;
const OWN = transactionRequest(OWN_PROPERTY);
const FOREIGN = transactionRequest(PROPERTY);
const at = (version: string): Record<string, string> => ({ 'if-match': version });
const UPDATE = '/api/transactions/import?mode=update';
const NDJSON = { 'content-type': 'application/x-ndjson' };

type Attempt = [
  status: number,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
];

const ATTEMPTS: Attempt[] = [
  [404, 'GET', PATH],
  [404, 'GET', PATH, undefined, { 'if-none-match': '"1"' }],
  [404, 'PUT', PATH, propertyRequest({ name: 'Mine' })],
  [404, 'PUT', PATH, propertyRequest(), at('"1"')],
  [404, 'PUT', PATH, propertyRequest(), at('"9"')],
  [400, 'PUT', PATH, { name: 1 }],
  [404, 'DELETE', PATH],
  [404, 'DELETE', PATH, undefined, at('"1"')],
  [405, 'PATCH', PATH, {}],
  [404, 'GET', `/api/transactions/property/${PROPERTY}?page=7&sort=amount`],
  [400, 'GET', `/api/transactions/property/${PROPERTY}?size=0`],
  [404, 'POST', '/api/transactions', FOREIGN],
  [404, 'POST', '/api/transactions/batch', { transactions: [OWN, FOREIGN] }],
  [422, 'POST', '/api/transactions/import', JSON.stringify(FOREIGN), NDJSON],
  [
    422,
    'POST',
    `${UPDATE}&property=name`,
    { id: TRANSACTION, version: 1, propertyName: 'Secret cottage' },
    NDJSON,
  ],
  [422, 'POST', UPDATE, { id: OWN_TRANSACTION, version: 1, propertyId: PROPERTY }, NDJSON],
  [200, 'GET', `/api/transactions/export?propertyId=${PROPERTY}`],
  [200, 'POST', '/api/transactions/search', { propertyId: PROPERTY }],
  [200, 'POST', '/api/transactions/export', { propertyId: PROPERTY }],
  [404, 'PUT', `/api/transactions/${OWN_TRANSACTION}`, FOREIGN],
  [404, 'GET', TRANSACTION_PATH],
  [404, 'GET', TRANSACTION_PATH, undefined, { 'if-none-match': '*' }],
  [404, 'PUT', TRANSACTION_PATH, OWN],
  [404, 'PUT', TRANSACTION_PATH, FOREIGN],
  [404, 'PUT', TRANSACTION_PATH, OWN, at('"1"')],
  [404, 'DELETE', TRANSACTION_PATH],
  [404, 'DELETE', TRANSACTION_PATH, undefined, at('"1"')],
  [404, 'GET', `/api/reports/profit-and-loss?propertyId=${PROPERTY}&groupBy=property`],
  [404, 'GET', `/api/reports/tax-year?year=2026&propertyId=${PROPERTY}`],
  [404, 'GET', `/api/reports/cash-flow?propertyId=${PROPERTY}`],
];

function attempt([, method, path, body, headers = {}]: Attempt, ids: Ids): Promise<HttpResponse> {
  const named = (text: string): string => text.replace(/(\d)\1{8}/g, (key) => String(ids[Number(key)]));
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  return stranger.send(method, named(path), { headers, body: body === undefined ? undefined : named(sent) });
}

/** All parts of a response that could distinguish two resources, except its path, time and length. */
function comparable({ status, headers, text }: HttpResponse): unknown {
  for (const name of ['date', 'x-request-id', 'content-length', 'changes-cursor']) headers.delete(name);
  return [status, [...headers], text.replace(/"(instance|timestamp)":"[^"]*"/g, '')];
}

it.each(ATTEMPTS)(
  "a stranger cannot tell another owner's row from a missing one: %i %s %s",
  async (...tried) => {
    const sent = watchStatements();
    const statements = (): string[] => sent.all().map(({ text }) => text);
    const missed = comparable(await attempt(tried, missing));
    const forMissingRow = statements();
    expect(forMissingRow).not.toEqual([]);
    sent.clear();
    const response = await attempt(tried, foreign);
    expect(statements()).toEqual(forMissingRow); // the time would show others
    expect(response.status).toBe(tried[0]);
    expect(response.text).not.toContain('Secret');
    expect(comparable(response)).toEqual(missed);
    expect(await rows()).toEqual(before);
  },
);
