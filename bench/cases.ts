import { ADMIN, MEDIUM, MEDIUM_TRANSACTIONS, PASSWORD, RARE_ROWS, READER, TERMS } from './dataset.js';
import type { LoadRequest } from './load.js';
import type { Row, World } from './world.js';

type Total = (world: World) => number;

/** The ratios hold at this many connections. */
export const TARGET_CONNECTIONS = 16;

/** One kind of request. */
export interface Case {
  readonly key: string;
  /** The throughput of the service ÷ that of the reference, at least. */
  readonly least: number;
  readonly requests: (world: World) => LoadRequest[];
  /** The `totalElements` that every response must have. */
  readonly total?: Total;
  /** Fields that differ between two responses to the same request. */
  readonly unlike?: readonly string[];
  /** The most connections: past that the service is meant to refuse some. */
  readonly maxConnections?: number;
}

const QUARTER = { startDate: '2024-02-01T00:00:00Z', endDate: '2024-04-30T23:59:59Z' };
const PAID_EXPENSES = { type: 'EXPENSE', status: 'PAID', ...QUARTER };
const BETWEEN_AMOUNTS = { ...PAID_EXPENSES, minAmount: 100, maxAmount: 50_000 };
const TAXES_BY_TRANSFER = { category: 'TAXES', paymentMethod: 'BANK_TRANSFER', minAmount: 1000 };
/** Half-way into the largest list, but no further than this. */
const DEEPEST_PAGE = 5000;
const PAGE_SIZE = 20;

const ofProperties = (path: (row: Row) => string) => (world: World) =>
  world.properties.map((row) => get(world, row.ownerId, path(row)));
const list = (account: number, query = '') =>
  one((world) => get(world, account, `/api/transactions${query}`));
const found = (account: number, filters: object) => one((world) => search(world, account, filters));
const term = (text: string) => one((world) => searchTerm(world, text));
const unlike = ['id', 'createdAt', 'updatedAt'];

export const CASES: readonly Case[] = [
  { key: 'own-account', least: 0.85, requests: ofProperties(() => '/api/users/me') },
  { key: 'property-by-id', least: 0.95, requests: ofProperties(({ id }) => `/api/properties/${id}`) },
  {
    key: 'transaction-by-id',
    least: 0.85,
    requests: (world) => world.read.map(({ id, ownerId }) => get(world, ownerId, `/api/transactions/${id}`)),
  },
  { key: 'list-medium', least: 2, requests: list(MEDIUM), total: () => MEDIUM_TRANSACTIONS },
  { key: 'list-large', least: 20, requests: list(READER), total: largeTotal },
  {
    key: 'list-deep',
    least: 10,
    requests: one((world) => get(world, READER, `/api/transactions?page=${deepPage(world)}`)),
    total: largeTotal,
  },
  { key: 'list-by-amount', least: 20, requests: list(READER, '?sort=amount,asc'), total: largeTotal },
  { key: 'list-admin', least: 20, requests: list(ADMIN) },
  { key: 'search-medium', least: 1.5, requests: found(MEDIUM, PAID_EXPENSES) },
  { key: 'search-large', least: 1.5, requests: found(READER, PAID_EXPENSES) },
  { key: 'search-amounts', least: 1.5, requests: found(MEDIUM, BETWEEN_AMOUNTS) },
  { key: 'search-category', least: 1, requests: found(READER, TAXES_BY_TRANSFER) },
  { key: 'term-rare', least: 10, requests: term(TERMS.rare), total: () => RARE_ROWS },
  { key: 'term-absent', least: 10, requests: term(TERMS.absent), total: () => 0 },
  {
    key: 'create',
    least: 0.8,
    requests: (world) =>
      world.properties.map((row, index) =>
        send(world, row, 'POST', '/api/transactions', transaction(row, index)),
      ),
    unlike,
  },
  {
    key: 'update',
    least: 0.8,
    requests: (world) =>
      world.written.map((row, index) =>
        send(world, row, 'PUT', `/api/transactions/${row.id}`, transaction(row, index)),
      ),
    unlike,
  },
  {
    key: 'sign-in',
    least: 0.9,
    requests: (world) => world.properties.map(({ ownerId }) => signIn(ownerId, PASSWORD)),
    unlike: ['accessToken'],
    maxConnections: 50,
  },
];

/** The same request over and over. */
function one(request: (world: World) => LoadRequest): (world: World) => LoadRequest[] {
  return (world) => [request(world)];
}

export function signIn(account: string, password: string): LoadRequest {
  return {
    method: 'POST',
    path: '/api/auth/signin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: `owner-${account}`, password }),
  };
}

export function get(world: World, account: string | number, path: string): LoadRequest {
  return { method: 'GET', path, headers: { authorization: world.authorization(account) } };
}

export function send(
  world: World,
  { ownerId }: Row,
  method: 'POST' | 'PUT',
  path: string,
  body: object,
): LoadRequest {
  const headers = { authorization: world.authorization(ownerId), 'content-type': 'application/json' };
  return { method, path, headers, body: JSON.stringify(body) };
}

export function search(world: World, account: number, filters: object): LoadRequest {
  const row = { id: '', propertyId: '', ownerId: String(account) };
  return send(world, row, 'POST', '/api/transactions/search', filters);
}

export function searchTerm(world: World, term: string): LoadRequest {
  return search(world, READER, { searchTerm: term });
}

/** A body such as a front end sends. */
export function transaction({ propertyId }: Row, index: number): object {
  return {
    propertyId: Number(propertyId),
    type: index % 3 === 0 ? 'INCOME' : 'EXPENSE',
    category: index % 3 === 0 ? 'BOOKING_PAYMENT' : 'MAINTENANCE',
    description: `Stay ${index}, three nights`,
    amount: (10_000 + index) / 100,
    date: '2025-06-15T10:30:00Z',
    status: 'PAID',
    paymentMethod: 'BANK_TRANSFER',
    vendor: 'Northgate Partners',
    notes: 'Paid on arrival',
    dueDate: '2025-07-01T00:00:00Z',
    paidAt: '2025-06-20T08:00:00Z',
    bookingReference: `BK-${index}`,
    bookingId: index,
    tags: ['season', 'guest'],
    metadata: { source: 'app' },
  };
}

function largeTotal({ dataset }: World): number {
  return dataset.large[0] ?? 0;
}

export function deepPage(world: World): number {
  return Math.max(1, Math.min(DEEPEST_PAGE, Math.floor(largeTotal(world) / PAGE_SIZE / 2)));
}
