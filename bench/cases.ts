import {
  CATEGORIES,
  PAYMENT_METHODS,
  STATUSES,
  TRANSACTION_TYPES,
} from '../src/transactions/transaction.enums.js';
import { ADMIN, LARGE, MEDIUM, MEDIUM_TRANSACTIONS, PASSWORD, RARE_ROWS, TERMS } from './dataset.js';
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
/** More than a round sends. */
const CREATIONS = 8192;
const WORDS =
  'boiler garden linen harbour window terrace invoice quarter repair morning northern supply'.split(' ');

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
  { key: 'list-large', least: 20, requests: list(LARGE), total: largeTotal },
  {
    key: 'list-deep',
    least: 10,
    requests: one((world) => get(world, LARGE, `/api/transactions?page=${deepPage(world)}`)),
    total: largeTotal,
  },
  { key: 'list-by-amount', least: 20, requests: list(LARGE, '?sort=amount,asc'), total: largeTotal },
  { key: 'list-admin', least: 20, requests: list(ADMIN) },
  { key: 'search-medium', least: 1.5, requests: found(MEDIUM, PAID_EXPENSES) },
  { key: 'search-large', least: 1.5, requests: found(LARGE, PAID_EXPENSES) },
  { key: 'search-amounts', least: 1.5, requests: found(MEDIUM, BETWEEN_AMOUNTS) },
  { key: 'search-category', least: 1, requests: found(LARGE, TAXES_BY_TRANSFER) },
  { key: 'term-rare', least: 10, requests: term(TERMS.rare), total: () => RARE_ROWS },
  { key: 'term-absent', least: 10, requests: term(TERMS.absent), total: () => 0 },
  {
    key: 'create',
    least: 0.8,
    requests: (world) => creations(world, world.properties),
    unlike,
  },
  {
    key: 'create-large',
    least: 0.8,
    requests: (world) => creations(world, world.largeProperties),
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

/** New rows in these properties by turns. */
function creations(world: World, properties: readonly Row[]): LoadRequest[] {
  return Array.from({ length: CREATIONS }, (_, index) => index).flatMap((index) => {
    const row = properties[index % properties.length];
    return row === undefined ? [] : [send(world, row, 'POST', '/api/transactions', transaction(row, index))];
  });
}

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
  return search(world, LARGE, { searchTerm: term });
}

/** A body such as a front end sends, with other values for each index: an update by one changes every index. */
export function transaction({ propertyId }: Row, index: number): object {
  const random = randomOf(index);
  const oneOf = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const day = (from: number): string =>
    new Date(Date.UTC(2023, 0, from + random(1000), random(24))).toISOString();
  const words = (count: number): string =>
    Array.from({ length: count }, () => `${oneOf(WORDS)}${random(100)}`).join(' ');
  return {
    propertyId: Number(propertyId),
    type: oneOf(TRANSACTION_TYPES),
    category: oneOf(CATEGORIES),
    description: `Stay ${random(100_000)}, ${words(3)}`,
    amount: (1 + random(20_000_000)) / 100,
    date: day(1),
    status: oneOf(STATUSES),
    paymentMethod: oneOf(PAYMENT_METHODS),
    vendor: `Northgate ${words(1)}`,
    notes: `Paid on arrival, ${words(2)}`,
    dueDate: day(15),
    paidAt: day(5),
    bookingReference: `BK-${random(1_000_000)}`,
    bookingId: index,
    tags: ['season', 'guest'],
    metadata: { source: 'app' },
  };
}

/** Whole numbers below a bound, always the same for the same seed (mulberry32). */
function randomOf(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

function largeTotal({ largeRows }: World): number {
  return largeRows;
}

export function deepPage(world: World): number {
  return Math.max(1, Math.min(DEEPEST_PAGE, Math.floor(largeTotal(world) / PAGE_SIZE / 2)));
}
