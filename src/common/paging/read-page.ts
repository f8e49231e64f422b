import { JsonParts, JsonText } from '../json/exact-json.js';
import { notFound, type ProblemError, validationFailed } from '../problems/problem.js';
import type { Database } from '../../database/database.js';
import type { ListStatement } from '../../database/lists/statement.js';
import { type PagePlace, type PageRows, readRows } from '../../database/lists/page-rows.js';
import type { Account } from '../../database/shares.js';
import type { PageRequest } from './page.js';

/** A page of a list or a search, with the query of the next one for its Link (RFC 8288). */
export class Page {
  constructor(
    readonly json: JsonText,
    readonly nextQuery: string | undefined,
  ) {}
}

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
  if (position === null) return new Page(json, undefined);
  const order = sort?.map(({ field, direction }) => `sort=${field},${direction.toLowerCase()}`);
  const cursor = `cursor=${writeCursor(page + 1, total, position)}`;
  return new Page(json, [...(order === undefined ? [] : [`size=${size}`, ...order]), cursor].join('&'));
}

const lastPage = (total: number, size: number): number => Math.max(0, Math.ceil(total / size) - 1);

async function envelope(content: PageRows['content'], counts: string): Promise<JsonText> {
  const [head, tail] = ['{"content":[', `],${counts}}`];
  if (typeof content === 'string') return new JsonText(head + content + tail);
  return JsonParts.of({ ...content, head, tail });
}

function placeOf(list: ListStatement, { page, cursor }: PageRequest): PagePlace {
  if (cursor !== null && page !== null && page > 0)
    // clients send the default of the other one
    throw validationFailed({ cursor: 'must not be given together with page' });
  return cursor ? readCursor(cursor, list.order().length) : { page: page ?? 0 };
}

/** Page, total and a text for each sort key, behind a NUL each: no text of PostgreSQL has one. */
const CURSOR = /^\d{1,9}\0\d{1,15}\0/;

function writeCursor(page: number, total: number, position: readonly string[]): string {
  return Buffer.from([page, total, ...position].join('\0')).toString('base64url');
}

/** It is input: PostgreSQL checks the types of its texts. */
function readCursor(text: string, keys: number): PagePlace {
  const decoded = Buffer.from(text, 'base64url').toString();
  const [page, total, ...position] = decoded.split('\0');
  if (!CURSOR.test(decoded) || position.length !== keys) throw noCursor();
  return { page: Number(page), total: Number(total), position, invalidPosition: noCursor };
}

function noCursor(): ProblemError {
  return validationFailed({ cursor: 'must be a cursor of a list in the same order' });
}
