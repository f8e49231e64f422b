import { Page } from '../../http/edge/page.js';
import type { PageRequest } from '../../http/fields/page.js';
import { notFound, type ProblemError, validationFailed } from '../../http/problem/problem.js';
import type { Database } from '../database.js';
import type { Account } from '../shares.js';
import type { ListStatement } from './list-statement.js';
import { type Cursor, type PageRow, pageStatement } from './page-statement.js';

const MAX_PAGE = 2 ** 31 - 1;

/**
 * A page by its number, or behind a cursor. Throws validation-failed for a cursor of another order, and not-found when the
 * property that the list belongs to is missing.
 */
export async function readPage(
  database: Database,
  account: Account,
  list: ListStatement,
  request: PageRequest,
): Promise<Page> {
  const after = cursorOf(list, request);
  const [page, { size }] = [after?.page ?? request.page ?? 0, request];
  const { statement, values } = pageStatement(list, { page, size, after });
  const invalidValue = after && noCursor;
  const [row] = await database.read<PageRow>(account, { ...statement, invalidValue }, values);
  if (row?.total == null) throw notFound('property');
  const total = Number(row.total);
  const { content, more, position } = row;
  const next = more && position !== null ? writeCursor({ page: page + 1, total, position }) : undefined;
  return new Page({ content, page, size, total, last: !more, next, sort: request.sort });
}

function cursorOf({ order }: ListStatement, { page, cursor }: PageRequest): Cursor | undefined {
  if (cursor === null) return undefined;
  if (page !== null) throw validationFailed({ cursor: 'must not be given together with page' });
  return cursor === '' ? undefined : readCursor(cursor, order.length);
}

function writeCursor({ page, total, position }: Cursor): string {
  return Buffer.from(JSON.stringify([page, total, ...position])).toString('base64url');
}

/** A cursor has a text for each sort key. It is input: PostgreSQL checks the types of its texts. */
function readCursor(text: string, keys: number): Cursor {
  const [page, total, ...position] = arrayIn(Buffer.from(text, 'base64url').toString());
  const isWhole = position.length === keys && isCount(page, MAX_PAGE) && isCount(total);
  if (!isWhole || !position.every((key) => typeof key === 'string')) throw noCursor();
  return { page, total, position };
}

function arrayIn(json: string): unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isCount(value: unknown, most = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function noCursor(): ProblemError {
  return validationFailed({ cursor: 'must be a cursor of a list in the same order' });
}
