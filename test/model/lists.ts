import assert from 'node:assert/strict';
import { PROPERTY_FIELDS, SUMMARY_FIELDS } from '../support/contract.js';
import { nextOf } from '../support/cursor-walk.js';
import { expectedMatches, inOrder } from '../support/list-oracle.js';
import { Random } from '../support/random.js';
import { jsonOf, someSearch } from '../support/random-ledger.js';
import { rawJson } from '../support/raw-json.js';
import type { Given } from './commands.js';
import { isRefused, requireBody } from './expect.js';
import type { Caller, Kind, ModelRow, ModelTransaction, World } from './world.js';

/** A list for any caller, at any time. */
export interface List {
  readonly kind: Kind;
  /** Of a search: the body for its further pages. */
  readonly body?: string;
  /** Of a property. */
  readonly propertyId?: number;
  /** The rows that it shows of those that a caller may see, in its order. */
  readonly pick: (visible: readonly ModelRow[]) => readonly ModelRow[];
  /** A search with a filter counts for its first page alone, and has at most as many rows as the caller sees. */
  readonly isCountedOnce?: boolean;
}

export interface Place {
  readonly page: number;
  readonly size: number;
  /** The last row of the page before, and the total of that time. */
  readonly behind?: { readonly row: ModelRow; readonly total: number };
}

/** Reads a page by number or cursor, and keeps the link to the next one. */
async function readPage(
  world: World,
  caller: Caller,
  list: List,
  target: string,
  { page, size, behind }: Place,
  body = list.body,
): Promise<void> {
  const response = await world.send(caller, body === undefined ? 'GET' : 'POST', target, { body });
  const { kind, propertyId, pick, isCountedOnce = false } = list;
  const isMissing = propertyId !== undefined && world.find('properties', caller, propertyId) === undefined;
  if (isRefused(response, { '404 not-found': isMissing })) return;
  const visible = world.visible(kind, caller);
  const all = pick(visible);
  const rest = behind === undefined ? all.slice(page * size) : following(pick, visible, behind.row);
  const total = behind !== undefined && isCountedOnce ? Math.min(behind.total, visible.length) : all.length;
  const totalPages = Math.ceil(total / size);
  const last = behind === undefined ? page >= totalPages - 1 : rest.length <= size;
  const content = rest.slice(0, size);
  const elements = content.map((row) =>
    jsonOf(row, kind === 'properties' ? PROPERTY_FIELDS : SUMMARY_FIELDS),
  );
  // Rows of earlier pages may be gone.
  const number = behind === undefined ? page : Math.min(page, Math.max(0, totalPages - 1));
  const envelope = { page: number, size, totalElements: total, totalPages, last };
  requireBody(response, rawJson(envelope, { content: `[${elements.join()}]` }));
  const next = nextOf(response);
  assert.equal(next === undefined, last, 'a link follows unless it is the last page');
  if (next === undefined) return;
  const place = { page: number + 1, size, behind: { row: content.at(-1)!, total } };
  world.walks.push({ caller, list, target: next, place });
}

/** The rows behind one of an earlier page. When that has changed since then, it is where it belongs now. */
function following(pick: List['pick'], visible: readonly ModelRow[], behind: ModelRow): readonly ModelRow[] {
  const ordered = pick([...visible.filter((row) => row !== behind), behind]);
  return ordered.slice(ordered.indexOf(behind) + 1);
}

const DEFAULT_ORDER = { properties: 'sort=id', transactions: 'sort=date,desc' };

export const listing = (kind: Kind) =>
  async function list(world: World, caller: Caller, given: Given): Promise<void> {
    await readList(world, caller, { kind }, `/api/${kind}`, given);
  };

export async function listOfProperty(world: World, caller: Caller, given: Given): Promise<void> {
  const propertyId = world.idOf('properties', caller, given.id);
  const path = `/api/transactions/property/${propertyId}`;
  await readList(world, caller, { kind: 'transactions', propertyId }, path, given);
}

async function readList(
  world: World,
  caller: Caller,
  rows: Pick<List, 'kind' | 'propertyId'>,
  path: string,
  { sort, page, size }: Given,
): Promise<void> {
  const order = sort[rows.kind].map((key) => `sort=${key}`).join('&') || DEFAULT_ORDER[rows.kind];
  const isListed = (row: ModelRow): boolean =>
    rows.propertyId === undefined || ('propertyId' in row && row.propertyId === rows.propertyId);
  const list: List = { ...rows, pick: (visible) => inOrder(visible.filter(isListed), order) };
  const query = [...sort[rows.kind].map((key) => `sort=${key}`), `page=${page}`, `size=${size}`].join('&');
  await readPage(world, caller, list, `${path}?${query}`, { page, size });
}

export async function search(world: World, caller: Caller, { seed, page, size }: Given): Promise<void> {
  const fields = someSearch(new Random(seed), world.ids.properties);
  const { minAmount, maxAmount, propertyId, ...rest } = fields;
  const bodyOf = (place: object): string =>
    rawJson({ ...rest, ...place }, { minAmount, maxAmount, propertyId });
  const isFilter = (field: string): boolean =>
    field === 'searchTerm' ? fields.searchTerm!.trim() !== '' : !field.startsWith('sort');
  const list: List = {
    kind: 'transactions',
    body: bodyOf({ size }),
    pick: (visible) => expectedMatches(visible as readonly ModelTransaction[], fields),
    isCountedOnce: Object.keys(fields).some(isFilter), // without one it is the list of all, whose total is known
  };
  await readPage(world, caller, list, '/api/transactions/search', { page, size }, bodyOf({ page, size }));
}

/** Mostly of the caller's own: a cursor of another account fits the caller's list. */
export async function walkOn(world: World, caller: Caller, { index }: Given): Promise<void> {
  const mine = world.walks.filter((walk) => walk.caller === caller);
  const walks = (index % 10 === 9 ? world.walks : mine).slice(-5);
  const walk = walks[index % walks.length];
  if (walk !== undefined) await readPage(world, caller, walk.list, walk.target, walk.place);
}
