import { TRANSACTION_SORT_FIELDS } from '../src/transactions/transactions.sort.js';
import { get, search, searchTerm } from './cases.js';
import { print, progress } from './command.js';
import { ADMIN, READER, TERMS } from './dataset.js';
import { drive, failuresOf, type LoadRequest, percentile } from './load.js';
import { atMost, digits, type Verdict } from './report.js';
import type { Server } from './servers.js';
import { LIMITS } from './targets.js';
import type { World } from './world.js';

/** What has to come from a slow disk first may run into the statement timeout. */
const WARM_UPS = 10;
/** Of each request. */
export const AMOUNT = { ofOwner: 15, ofAdmin: 3 };
/** Every order. */
export const SORTS = TRANSACTION_SORT_FIELDS.flatMap((field) => [`${field},asc`, `${field},desc`]);
/** The first page, and one that lies behind 100,000 rows. */
const PAGES = [0, 5000];
/** Each by itself. */
const FILTERS: readonly object[] = [
  { startDate: '2025-01-01T00:00:00Z' },
  { endDate: '2024-06-30T23:59:59Z' },
  { minAmount: 1000 },
  { maxAmount: 100 },
  { type: 'EXPENSE' },
  { category: 'TAXES' },
  { propertyId: 1 },
  { status: 'PAID' },
  { paymentMethod: 'BANK_TRANSFER' },
  { recurring: true },
  { frequency: 'ONE_TIME' },
  { vendor: 'harbour' },
  { approvalStatus: 'APPROVED' },
  { overdue: true },
];

/** A request that may not be slow. */
export interface Path {
  readonly name: string;
  readonly request: LoadRequest;
  readonly amount: number;
  /** Of the median, in ms. */
  readonly limit: number;
  /** That it is answered with, when that is no success. */
  readonly status?: number;
}

/** Each on one connection. */
export async function measurePaths({ url }: Server, paths: readonly Path[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  print(`\nMedian and slowest answer on one connection, in ms\n`);
  for (const { name, request, amount, limit, status } of paths) {
    progress(name);
    for (let tries = 0; tries < WARM_UPS; tries++)
      if (failuresOf(await drive(url, [request], 1, { amount: 1 }), status) === 0) break;
    const pass = await drive(url, [request], 1, { amount });
    const median = percentile(pass.latencies, 50);
    const failures = failuresOf(pass, status);
    print(
      `${name.padEnd(54)}${digits(median).padStart(9)}${digits(percentile(pass.latencies, 100)).padStart(9)}\n`,
    );
    const verdict = atMost(name, median, limit, ' ms');
    verdicts.push({ ...verdict, passed: verdict.passed && failures === 0 });
  }
  return verdicts;
}

/** Every way through the rows of the largest owner, and through those of all. */
export function listsAndSearches(world: World): Path[] {
  const ofOwner = { amount: AMOUNT.ofOwner, limit: LIMITS.path };
  const list = (who: number, query: string): LoadRequest => get(world, who, `/api/transactions?${query}`);
  const sorts = SORTS.flatMap((sort) => PAGES.map((page) => `sort=${sort}&page=${page}`));
  return [
    ...sorts.map((query) => ({ name: query, request: list(READER, query), ...ofOwner })),
    ...FILTERS.map((filter) => ({
      name: JSON.stringify(filter),
      request: search(world, READER, filter),
      ...ofOwner,
    })),
    ...Object.entries(TERMS).map(([name, term]) => ({
      name: `term, ${name}`,
      request: searchTerm(world, term),
      amount: AMOUNT.ofOwner,
      limit: name === 'rare' || name === 'absent' ? LIMITS.path : LIMITS.frequentTerm,
    })),
    ...sorts.map((query) => ({
      name: `ADMIN: ${query}`,
      request: list(ADMIN, query),
      amount: AMOUNT.ofAdmin,
      limit: LIMITS.adminPath,
    })),
  ];
}
