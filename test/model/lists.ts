import { nextOf } from '../support/cursor-walk.js';
import { type Direction, inOrder, type Sortable } from '../support/search-oracle.js';
import { type Call, NOT_FOUND, type Outcome, type Prediction, requireEqual } from './outcomes.js';
import { type JsonObject, whole } from './values.js';
import type { Caller, ModelRow, World } from './world.js';

export type SortKey = readonly [field: string, direction: Direction];

export interface QueryPart {
  readonly name: string;
  /** As in the target. */
  readonly text: string;
  /** The number, or field and direction; undefined for a fault. */
  readonly value?: number | SortKey | undefined;
}

/** The meaning of a list's query. */
interface Listing {
  /** With its question mark. */
  readonly text: string;
  readonly page: number;
  readonly size: number;
  readonly keys: readonly SortKey[];
  readonly faults: readonly string[];
  /** A page and a cursor: refused when nothing else is wrong. */
  readonly hasTwoPlaces: boolean;
}

export function readQuery(query: readonly QueryPart[], defaultKey: SortKey): Listing {
  const partsOf = (name: string): readonly QueryPart[] => query.filter((part) => part.name === name);
  const numberOf = (name: string, fallback: number): number =>
    (partsOf(name)[0]?.value as number | undefined) ?? fallback;
  const given = partsOf('sort').flatMap(({ value }) => (value === undefined ? [] : [value as SortKey]));
  // A field that comes again changes nothing, not even the direction of the id.
  const keys = given.filter(([field], index) => given.findIndex(([other]) => other === field) === index);
  return {
    text: query.length === 0 ? '' : `?${query.map(({ text }) => text).join('&')}`,
    page: numberOf('page', 0),
    size: numberOf('size', 20),
    keys: keys.length === 0 ? [defaultKey] : keys,
    faults: [
      ...['page', 'size', 'cursor'].filter((name) => partsOf(name).length > 1),
      ...query.filter(({ value }) => value === undefined).map(({ name }) => name),
    ],
    hasTwoPlaces: ['page', 'cursor'].every((name) => partsOf(name).length > 0),
  };
}

/** A list for any caller, at any time. */
interface PagedList<Row> {
  /** The request for a further page has the target of a link. */
  readonly call: Call;
  /** Undefined when the caller cannot see the property of the list. */
  readonly rows: (caller: Caller) => readonly Row[] | undefined;
  readonly inOrder: (rows: readonly Row[]) => readonly Row[];
  readonly elementOf: (row: Row) => JsonObject;
  /** A search with a filter counts for its first page alone. */
  readonly isCountedOnce?: boolean;
}

export function sorting<Row extends ModelRow>(
  { keys }: Pick<Listing, 'keys'>,
  valueOf: (field: string, row: Row) => Sortable,
): PagedList<Row>['inOrder'] {
  const order = keys.map(([field, direction]) => [(row: Row) => valueOf(field, row), direction] as const);
  return (rows) => inOrder(rows, order);
}

interface Place<Row> {
  readonly page: number;
  readonly size: number;
  /** The last row of the page before, and the total of that time. */
  readonly behind?: { readonly row: Row; readonly total: number };
}

/** The envelope of a page by number or cursor, and the link to the next one. */
export function pageOf<Row>(
  world: World,
  caller: Caller,
  list: PagedList<Row>,
  { page, size, behind }: Place<Row>,
): Outcome {
  const all = list.rows(caller);
  if (all === undefined) return NOT_FOUND;
  const rest = restOf(list, all, page * size, behind?.row);
  const total = behind !== undefined && list.isCountedOnce ? behind.total : all.length;
  const totalPages = Math.ceil(total / size);
  const last = behind === undefined ? page >= totalPages - 1 : rest.length <= size;
  const content = rest.slice(0, size);
  return {
    status: 200,
    body: {
      content: content.map(list.elementOf),
      page: whole(page),
      size: whole(size),
      totalElements: whole(total),
      totalPages: whole(totalPages),
      last,
    },
    settle({ answer }) {
      const target = nextOf(answer);
      requireEqual('whether a link follows', target !== undefined, !last);
      if (target === undefined || caller.account === undefined) return;
      const next = { page: page + 1, size, behind: { row: content.at(-1)!, total } };
      const outcome = (other: Caller): Outcome => pageOf(world, other, list, next);
      world.walks.push({ callerId: caller.account.id, call: { ...list.call, target }, outcome });
    },
  };
}

/** A row that has changed since then stands where it belongs now. */
function restOf<Row>(
  list: Pick<PagedList<Row>, 'inOrder'>,
  all: readonly Row[],
  start: number,
  behind: Row | undefined,
): readonly Row[] {
  if (behind === undefined) return list.inOrder(all).slice(start);
  const ordered = list.inOrder([...all.filter((row) => row !== behind), behind]);
  return ordered.slice(ordered.indexOf(behind) + 1);
}

/** Mostly of the caller's own: a cursor of another account fits the caller's list. */
export function walkOn(world: World, caller: Caller, { index }: { index: number }): Prediction | undefined {
  const mine = world.walks.filter(({ callerId }) => callerId === caller.account?.id);
  const walks = (index % 10 === 9 ? world.walks : mine).slice(-5);
  const walk = walks[index % walks.length];
  return walk && { call: { ...walk.call, token: caller.token }, outcomes: [walk.outcome(caller)] };
}
