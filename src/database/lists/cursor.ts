/** How far a walk through a list has come. */
export interface Cursor {
  /** The pages that have been read. */
  readonly page: number;
  /** The elements on all pages, as the first page had it. */
  readonly total: number;
  /** The sort keys of the last row that was read, as text. */
  readonly position: readonly string[];
}

const MAX_PAGE = 2 ** 31 - 1;

export function writeCursor({ page, total, position }: Cursor): string {
  return Buffer.from(JSON.stringify([page, total, ...position])).toString('base64url');
}

/** Undefined unless it has a text for each of so many sort keys. It is input: PostgreSQL checks the types of its texts. */
export function readCursor(text: string, keys: number): Cursor | undefined {
  const members = arrayIn(text);
  const [page, total, ...position] = members;
  if (members.length !== keys + 2 || !isCount(page, MAX_PAGE)) return undefined;
  if (!isCount(total, Number.MAX_SAFE_INTEGER)) return undefined;
  return position.every((key) => typeof key === 'string') ? { page, total, position } : undefined;
}

function arrayIn(text: string): unknown[] {
  try {
    const json: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(json) ? json : [];
  } catch {
    return [];
  }
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
