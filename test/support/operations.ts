import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from './contract.js';
import { walk } from './cursor-walk.js';
import { createProperty, createTransaction, propertyRequest, transactionRequest } from './factories.js';
import type { Account, Service } from './service.js';
import { signIn, signUp, signUpRequest } from './sign-up.js';

const SEARCHES = [
  {},
  { type: 'INCOME', startDate: '2020-01-01T00:00:00Z', minAmount: 1 },
  { minAmount: 1 },
  { overdue: true },
  { overdue: false, sortBy: 'vendor' },
  { searchTerm: 'deal' },
  { searchTerm: 'a\u001fb', sortBy: 'amount', sortDirection: 'desc' },
  { vendor: 'North', approvalStatus: 'APPROVED', page: 2 },
  {
    ...{ startDate: '2020-01-01T00:00Z', endDate: '2030-01-01T00:00Z', minAmount: 1, maxAmount: 2 },
    ...{ type: 'INCOME', category: 'TAXES', propertyId: 1, status: 'PAID', paymentMethod: 'CASH' },
    ...{ vendor: 'x', recurring: true, frequency: 'DAILY', approvalStatus: 'y', overdue: true },
    searchTerm: 'a%\u001fb',
  },
];

/** Each field in one direction. */
const sorts = (fields: readonly string[]): string[] =>
  fields.map((field, index) => `sort=${field},${index % 2 === 0 ? 'asc' : 'desc'}`);
const VERSIONS = [undefined, { 'if-match': '"1"' }, { 'if-match': '"2"' }];
const TWO_KEYS = 'sort=active&sort=name,desc';
const NDJSON = { accept: 'application/x-ndjson' };

async function twicePlainAndUnderKey(caller: Account, path: string, request: object): Promise<void> {
  const key = { 'idempotency-key': 'a' };
  for (const headers of [undefined, undefined, key, key]) await caller.post(path, request, headers);
}

async function getAll(caller: Account, path: string, queries: readonly string[]): Promise<void> {
  for (const query of queries) await caller.get(`${path}?${query}`);
}

export type Operations = Readonly<Record<string, (caller: Account) => Promise<unknown>>>;

/** The requests of a caller for the rows of `owner`, in all ways that send other statements, by operation of the API document. */
export async function operationsFor(service: Service, owner: Account): Promise<Operations> {
  const other = await service.account();
  for (let index = 0; index < 8; index++) await createProperty(owner);
  const { id: home } = await createProperty(owner);
  const paid = { vendor: 'North', dueDate: '2026-01-01T00:00Z', paidAt: '2026-01-01T00:00Z' };
  for (const values of [{}, {}, paid]) await createTransaction(owner, home, values);
  const newProperty = async (account = owner): Promise<number> => (await createProperty(account)).id;
  const newTransaction = async (): Promise<number> =>
    (await createTransaction(owner, await newProperty())).id;
  const ofProperty = async (): Promise<string> => `propertyId=${await newProperty()}`;
  return {
    signUp: async ({ id }) => {
      const request = signUpRequest({ username: `new-${id}`, email: `${id}@example.org` });
      for (const body of [request, request, { ...request, username: `newer-${id}` }])
        await signUp(service.anonymous, body);
    },
    signIn: ({ username }) => signIn(service.anonymous, { username, password: 'not this one' }),
    listUsers: (caller) => caller.get('/api/users'),
    getCurrentUser: (caller) => caller.get('/api/users/me'),
    getUser: (caller) => caller.get(`/api/users/${owner.id}`),
    deleteUser: async (caller) => {
      for (const { id } of [await service.account(), owner]) await caller.delete(`/api/users/${id}`);
    },
    listProperties: async (caller) => {
      const pages = [...sorts(PROPERTY_SORT_FIELDS), TWO_KEYS].flatMap((sort) => [sort, `${sort}&page=1`]);
      await getAll(caller, '/api/properties', pages);
      for (const sort of ['sort=id', 'sort=name,desc', TWO_KEYS])
        await walk(caller, `/api/properties?size=3&${sort}`);
    },
    createProperty: (caller) => twicePlainAndUnderKey(caller, '/api/properties', propertyRequest()),
    getProperty: async (caller) => caller.get(`/api/properties/${await newProperty()}`),
    updateProperty: async (caller) => {
      const path = `/api/properties/${await newProperty()}`;
      for (const version of VERSIONS) await caller.put(path, propertyRequest(), version);
    },
    deleteProperty: async (caller) => {
      for (const version of VERSIONS) await caller.delete(`/api/properties/${await newProperty()}`, version);
    },
    listTransactions: async (caller) => {
      for (const sort of [...sorts(TRANSACTION_SORT_FIELDS), 'sort=type&sort=vendor,desc']) {
        await getAll(caller, '/api/transactions', [sort, `${sort}&page=1`]);
        await walk(caller, `/api/transactions?${sort}&size=2`);
      }
    },
    createTransaction: async (caller) =>
      twicePlainAndUnderKey(caller, '/api/transactions', transactionRequest(await newProperty())),
    createTransactionBatch: async (caller) => {
      const transactions = [transactionRequest(await newProperty())];
      await twicePlainAndUnderKey(caller, '/api/transactions/batch', { transactions });
    },
    importTransactions: async (caller) => {
      const body = JSON.stringify(transactionRequest(await newProperty()));
      const type = { 'content-type': 'application/x-ndjson' };
      for (const key of [undefined, { 'idempotency-key': 'import' }])
        for (const rule of ['refuse&dryRun=true', 'allow', 'allow'])
          await caller.post(`/api/transactions/import?duplicates=${rule}`, body, { ...type, ...key });
    },
    searchTransactions: async (caller) => {
      for (const search of SEARCHES) {
        await caller.post('/api/transactions/search', search);
        await walk(caller, '/api/transactions/search', { ...search, page: undefined, size: 2 });
      }
    },
    listPropertyTransactions: async (caller) => {
      const path = `/api/transactions/property/${home}`;
      await getAll(caller, path, [...sorts(TRANSACTION_SORT_FIELDS), 'page=1']);
      await walk(caller, `${path}?size=1`);
    },
    getProfitAndLoss: async (caller) => {
      const groups = 'groupBy=property,month&basis=cash&from=2026-01-01';
      const queries = ['', 'groupBy=property', groups, `${groups}&${await ofProperty()}`];
      await getAll(caller, '/api/reports/profit-and-loss', queries);
    },
    getTaxYear: async (caller) =>
      getAll(caller, '/api/reports/tax-year', ['year=2026', `year=2026&${await ofProperty()}`]),
    getCashFlow: async (caller) =>
      getAll(caller, '/api/reports/cash-flow', ['months=24', `months=24&${await ofProperty()}`]),
    exportTransactions: async (caller) => {
      await newTransaction();
      for (const search of SEARCHES) await caller.post('/api/transactions/export', search);
      await caller.post('/api/transactions/export', {}, NDJSON);
    },
    exportProperties: async (caller) => {
      await getAll(caller, '/api/properties/export', ['', ...sorts(PROPERTY_SORT_FIELDS)]);
      await caller.get('/api/properties/export', NDJSON);
    },
    getTransaction: async (caller) => caller.get(`/api/transactions/${await newTransaction()}`),
    updateTransaction: async (caller) => {
      const path = `/api/transactions/${await newTransaction()}`;
      const request = transactionRequest(await newProperty());
      for (const version of [undefined, { 'if-match': '"7"' }]) await caller.put(path, request, version);
      await caller.put(path, transactionRequest(await newProperty(other)));
    },
    deleteTransaction: async (caller) => {
      for (const version of VERSIONS)
        await caller.delete(`/api/transactions/${await newTransaction()}`, version);
    },
  };
}
