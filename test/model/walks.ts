import { nextOf } from '../support/cursor-walk.js';
import type { JsonObject } from './difference.js';
import { type Call, NOT_FOUND, type Outcome, type Prediction } from './outcomes.js';
import { requireEqual, whole } from './unknowns.js';
import type { Caller, World } from './world.js';

/** A list as it is whenever a caller asks for one of its pages. */
export interface PagedList<Row> {
  /** The request for a further page, but for its target, which comes with the page before. */
  readonly call: Call;
  /** Undefined when the property of the list is gone, or is not the caller's. */
  readonly rows: (caller: Caller) => readonly Row[] | undefined;
  readonly inOrder: (rows: readonly Row[]) => readonly Row[];
  readonly elementOf: (row: Row) => JsonObject;
  /** A search with a filter counts for its first page alone. */
  readonly isCountedOnce?: boolean;
}

interface Place<Row> {
  readonly page: number;
  readonly size: number;
  /** The last row of the page before, and the total, as they were then. */
  readonly behind?: { readonly row: Row; readonly total: number };
}

/** A page that the service has offered by a link. */
export interface Walk {
  readonly callerId: number;
  readonly call: Call;
  readonly outcome: (caller: Caller) => Outcome;
}

/** The envelope of a page by its number or by a cursor, and the link to the one that follows. */
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
  const next = (other: Caller): Outcome =>
    pageOf(world, other, list, { page: page + 1, size, behind: { row: content.at(-1)!, total } });
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
      requireEqual('whether a link follows', offer(world, caller, list.call, answer, next), !last);
    },
  };
}

/** A row that was changed since then stands where it belongs now; one that was not has been told. */
function restOf<Row>(
  { inOrder }: PagedList<Row>,
  all: readonly Row[],
  start: number,
  behind: Row | undefined,
): readonly Row[] {
  if (behind === undefined) return inOrder(all).slice(start);
  const ordered = inOrder([...all.filter((row) => row !== behind), behind]);
  return ordered.slice(ordered.indexOf(behind) + 1);
}

/** Takes notice of the link of a page, if it has one. */
export function offer(
  world: World,
  { account }: Pick<Caller, 'account'>,
  call: Call,
  answer: Parameters<typeof nextOf>[0],
  outcome: Walk['outcome'],
): boolean {
  const target = nextOf(answer);
  if (target === undefined || account === undefined) return false;
  world.walks.push({ callerId: account.id, call: { ...call, target }, outcome });
  return true;
}

/** The next page of a walk, mostly of the caller's own: a cursor of another account's fits the caller's list. */
export function walkOn(world: World, caller: Caller, index: number): Prediction | undefined {
  const mine = world.walks.filter(({ callerId }) => callerId === caller.account?.id);
  const walks = (index % 10 === 9 ? world.walks : mine).slice(-5);
  const walk = walks[index % walks.length];
  return walk && { call: { ...walk.call, token: caller.token }, outcomes: [walk.outcome(caller)] };
}
