import { ADMIN, MEDIUM, MEDIUM_TRANSACTIONS, PASSWORD, RARE_ROWS, READER, TERMS } from './dataset.js';
import type { LoadRequest } from './load.js';
import type { Row, World } from './world.js';

type Total = (world: World) => number;

/** One kind of request. */
export interface Case {
  readonly key: string;
  readonly requests: (world: World) => LoadRequest[];
  /** The `totalElements` that every answer must have. */
  readonly total?: Total;
  /** Fields that differ between two answers to the same request. */
  readonly unlike?: readonly string[];
  /** Only up to so many connections: past that the service is meant to refuse some. */
  readonly maxConnections?: number;
}

const QUARTER = { startDate: '2024-02-01T00:00:00Z', endDate: '2024-04-30T23:59:59Z' };
const PAID_EXPENSES = { type: 'EXPENSE', status: 'PAID', ...QUARTER };
const BETWEEN_AMOUNTS = { ...PAID_EXPENSES, minAmount: 100, maxAmount: 50_000 };
const TAXES_BY_TRANSFER = { category: 'TAXES', paymentMethod: 'BANK_TRANSFER', minAmount: 1000 };
/** Half-way into the largest list, but no further than this. */
const DEEPEST_PAGE = 5000;
const PAGE_SIZE = 20;

export const CASES: readonly Case[] = [
  {
    key: 'own-account',
    requests: (world) => world.properties.map(({ ownerId }) => get(world, ownerId, '/api/users/me')),
  },
  {
    key: 'property-by-id',
    requests: (world) =>
      world.properties.map(({ id, ownerId }) => get(world, ownerId, `/api/properties/${id}`)),
  },
  {
    key: 'transaction-by-id',
    requests: (world) => world.read.map(({ id, ownerId }) => get(world, ownerId, `/api/transactions/${id}`)),
  },
  one('list-medium', (world) => get(world, MEDIUM, '/api/transactions'), MEDIUM_TRANSACTIONS),
  one('list-large', (world) => get(world, READER, '/api/transactions'), largeTotal),
  one('list-deep', (world) => get(world, READER, `/api/transactions?page=${deepPage(world)}`), largeTotal),
  one('list-by-amount', (world) => get(world, READER, '/api/transactions?sort=amount,asc'), largeTotal),
  one(
    'list-property',
    (world) => get(world, READER, `/api/transactions/property/${world.busiest.propertyId}`),
    (world) => world.busiest.rows,
  ),
  one('list-admin', (world) => get(world, ADMIN, '/api/transactions')),
  one('search-medium', (world) => search(world, MEDIUM, PAID_EXPENSES)),
  one('search-large', (world) => search(world, READER, PAID_EXPENSES)),
  one('search-amounts', (world) => search(world, MEDIUM, BETWEEN_AMOUNTS)),
  one('search-category', (world) => search(world, READER, TAXES_BY_TRANSFER)),
  one('term-common', (world) => searchTerm(world, TERMS.common)),
  one('term-rare', (world) => searchTerm(world, TERMS.rare), RARE_ROWS),
  one('term-absent', (world) => searchTerm(world, TERMS.absent), 0),
  one('term-short', (world) => searchTerm(world, TERMS.twoLetters)),
  {
    key: 'create',
    requests: (world) =>
      world.properties.map((row, index) =>
        send(world, row, 'POST', '/api/transactions', transaction(row, index)),
      ),
    unlike: ['id', 'createdAt', 'updatedAt'],
  },
  {
    key: 'update',
    requests: (world) =>
      world.written.map((row, index) =>
        send(world, row, 'PUT', `/api/transactions/${row.id}`, transaction(row, index)),
      ),
    unlike: ['updatedAt'],
  },
  {
    key: 'sign-in',
    requests: (world) => world.properties.map(({ ownerId }) => signIn(ownerId, PASSWORD)),
    unlike: ['accessToken'],
    maxConnections: 50,
  },
];

/** The same request over and over. */
function one(key: string, request: (world: World) => LoadRequest, total?: number | Total): Case {
  const requests = (world: World): LoadRequest[] => [request(world)];
  if (total === undefined) return { key, requests };
  return { key, requests, total: typeof total === 'number' ? () => total : total };
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
