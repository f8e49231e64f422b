import { percentile } from '../test/faults/support/figures.js';
import { nextOf } from '../test/support/cursor-walk.js';
import {
  INDEXED,
  TRANSACTION_SORT_FIELDS,
  type TransactionSortField,
  UNINDEXED,
} from '../src/transactions/transaction.entity.js';
import { deepPage, get, search, searchTerm } from './cases.js';
import { print, progress } from './command.js';
import { ADMIN, LARGE, TERMS } from './dataset.js';
import { drive, failuresOf, type LoadRequest } from './load.js';
import { atMost, digits, type Verdict } from './report.js';
import type { Server } from './servers.js';
import type { World } from './world.js';

/** Milliseconds of the median response on one connection. */
const LIMITS = {
  /** First pages, and page 5,000 in the default order and by id and amount, of an owner's 200,000 rows. */
  path: 60,
  /** Page 5,000 in the other orders. */
  deepPath: 200,
  /** First pages by description, vendor, createdAt and updatedAt, which have no index. */
  unindexed: 400,
  /** A term in very many rows, or too short for the index. */
  frequentTerm: 300,
  /** An ADMIN's lists of all rows. */
  adminPath: 1500,
  /** Any report of an owner's 200,000 transactions. */
  report: 150,
};
/** Pages that come from a cold disk first may run into the statement timeout. */
const WARM_UPS = 10;
const OF_OWNER = 15;
const OF_ADMIN = 3;
const SORTS = TRANSACTION_SORT_FIELDS.flatMap((field) => [
  { field, sort: `${field},asc` },
  { field, sort: `${field},desc` },
]);
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
  { bookingReference: 'BK-123456' },
  { paymentReference: 'PR-123456' },
];
const LEVELS = ['', ...['property', 'category', 'month', 'property,month', 'category,month'].map(by)];
const REPORTS = ['', '&from=2024-01-01&to=2024-12-31'].flatMap((period) =>
  ['accrual', 'cash'].flatMap((basis) =>
    LEVELS.map((levels) => `profit-and-loss?timeZone=Europe/Lisbon&basis=${basis}${period}${levels}`),
  ),
);

function by(levels: string): string {
  return `&groupBy=${levels}`;
}

/** A request with a limit of its own. */
interface Path {
  readonly name: string;
  readonly request: LoadRequest;
  readonly limit: number;
  readonly amount?: number;
}

/** Every order, filter, term and report of the largest owner, the first page of his changes, and an ADMIN's lists, each on one connection. */
export async function measurePaths({ url }: Server, world: World): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  print('\nMedian and slowest response on one connection, in ms\n');
  const paths = [...lists(world), ...searches(world), ...reports(world), ...(await cursors(url, world))];
  for (const { name, request, limit, amount = OF_OWNER } of paths) {
    progress(name);
    for (let tries = 0; tries < WARM_UPS; tries++)
      if (failuresOf(await drive(url, [request], 1, 1)) === 0) break;
    const pass = await drive(url, [request], 1, amount);
    const [median, slowest] = [percentile(pass.latencies, 50), percentile(pass.latencies, 100)];
    print(`${name.padEnd(64)}${digits(median).padStart(9)}${digits(slowest).padStart(9)}\n`);
    const verdict = atMost(name, median, limit, ' ms');
    verdicts.push({ ...verdict, passed: verdict.passed && failuresOf(pass) === 0 });
  }
  return verdicts;
}

function lists(world: World): Path[] {
  const pages = SORTS.flatMap((order) => [0, deepPage(world)].map((page) => ({ ...order, page })));
  return pages.flatMap(({ field, sort, page }) => {
    const name = `sort=${sort}&page=${page}`;
    const first = firstPageLimit(field);
    const limit = page === 0 || INDEXED.includes(field) ? first : Math.max(first, LIMITS.deepPath);
    const request = (who: number): LoadRequest => get(world, who, `/api/transactions?${name}`);
    return [
      { name, request: request(LARGE), limit },
      { name: `ADMIN: ${name}`, request: request(ADMIN), limit: LIMITS.adminPath, amount: OF_ADMIN },
    ];
  });
}

function firstPageLimit(field: TransactionSortField): number {
  return UNINDEXED.includes(field) ? LIMITS.unindexed : LIMITS.path;
}

function searches(world: World): Path[] {
  const limit = LIMITS.path;
  const filters = FILTERS.map((filter) => ({
    name: JSON.stringify(filter),
    request: search(world, LARGE, filter),
    limit,
  }));
  const terms = Object.entries(TERMS).map(([name, term]) => ({
    name: `term, ${name}`,
    request: searchTerm(world, term),
    limit: name === 'rare' || name === 'absent' ? limit : LIMITS.frequentTerm,
  }));
  const ofProperty = 'property/1';
  const request = get(world, LARGE, `/api/transactions/${ofProperty}`);
  const changes = get(world, LARGE, '/api/transactions/changes');
  return [
    ...filters,
    ...terms,
    { name: ofProperty, request, limit },
    { name: 'changes', request: changes, limit: LIMITS.unindexed },
  ];
}

function reports(world: World): Path[] {
  return [...REPORTS, 'tax-year?year=2024'].map((name) => {
    return { name, request: get(world, LARGE, `/api/reports/${name}`), limit: LIMITS.report };
  });
}

/** The deep page of every order by its cursor, which the page before links to. */
async function cursors(url: string, world: World): Promise<Path[]> {
  const paths: Path[] = [];
  for (const { field, sort } of SORTS) {
    const place = `sort=${sort}&page=${deepPage(world) - 1}`;
    const { path, headers } = get(world, LARGE, `/api/transactions?${place}`);
    const before = await fetch(url + path, { headers });
    await before.text();
    const request = get(world, LARGE, nextOf(before) ?? '');
    paths.push({
      name: `cursor of page ${deepPage(world)} by ${sort}`,
      request,
      limit: firstPageLimit(field),
    });
  }
  return paths;
}
