/** How far a walk through a list has come. */
export interface Mark {
  /** The pages that have been read. */
  readonly page: number;
  /** The elements on all pages, as the first page had it. */
  readonly total: number;
  /** The sort keys of the last row that was read, as text. */
  readonly position: readonly string[];
}

const MAX_PAGE = 2 ** 31 - 1;

export function writeCursor({ page, total, position }: Mark): string {
  return Buffer.from(JSON.stringify([page, total, ...position])).toString('base64url');
}

/** Undefined unless it has a text for each of so many sort keys. It is input: PostgreSQL checks the types of its texts. */
export function readCursor(cursor: string, keys: number): Mark | undefined {
  const mark = jsonIn(cursor);
  if (!Array.isArray(mark) || mark.length !== keys + 2) return undefined;
  const [page, total, ...position] = mark as unknown[];
  if (!isCount(page, MAX_PAGE) || !isCount(total, Number.MAX_SAFE_INTEGER)) return undefined;
  return position.every((key) => typeof key === 'string') ? { page, total, position } : undefined;
}

function jsonIn(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
