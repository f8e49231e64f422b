import { JsonParts, JsonText, type Parts } from '../json/exact-json.js';
import { notFound, type ProblemError, validationFailed } from '../problems/problem.js';
import type { Database } from '../../database/database.js';
import type { ListStatement } from '../../database/lists/statement.js';
import { type PagePlace, readRows } from '../../database/lists/page-rows.js';
import type { Account } from '../../database/shares.js';
import { type PageRequest, writeCursor } from './page.js';

/** A page of a list or a search, with the query of the next one, if one follows. */
export type Page = Readonly<{ json: JsonText | JsonParts; nextQuery?: string }>;

/**
 * A page by its number, or behind a cursor. Throws validation-failed for a cursor of another order, and not-found when the
 * property that the list belongs to is missing. Only a list's link has the order: that of a search is in the body, to be
 * sent again. An empty list has no page at all.
 */
export async function readPage(
  { database }: { readonly database: Database },
  account: Account,
  list: ListStatement,
  request: PageRequest,
): Promise<Page> {
  const { size, sort } = request;
  const place = placeOf(list, request);
  const row = await readRows(database, account, list, size, place);
  if (row === undefined) throw notFound('property');
  const { total, position, content } = row;
  // Rows that were deleted meanwhile, or a number that a client has made up
  const page = place.position === undefined ? place.page : Math.min(place.page, lastPage(total, size));
  const counts = `"totalElements":${total},"totalPages":${Math.ceil(total / size)},"last":${position === null}`;
  const json = await envelope(content, `"page":${page},"size":${size},${counts}`);
  if (position === null) return { json };
  const order = sort?.map(({ field, direction }) => `sort=${field},${direction.toLowerCase()}`);
  const cursor = `cursor=${writeCursor(page + 1, total, position)}`;
  return { json, nextQuery: [...(order === undefined ? [] : [`size=${size}`, ...order]), cursor].join('&') };
}

const lastPage = (total: number, size: number): number => Math.max(0, Math.ceil(total / size) - 1);

async function envelope(content: string | Parts, counts: string): Promise<Page['json']> {
  const [head, tail] = ['{"content":[', `],${counts}}`];
  if (typeof content === 'string') return new JsonText(head + content + tail);
  return JsonParts.of({ ...content, head, tail });
}

function placeOf(list: ListStatement, { page, cursor }: PageRequest): PagePlace {
  if (cursor?.position === undefined) return { page: page ?? 0 };
  if (cursor.position.length !== list.order().length) throw noCursor();
  return { ...cursor, invalidPosition: noCursor };
}

function noCursor(): ProblemError {
  return validationFailed({ cursor: 'must be a cursor of a list in the same order' });
}
