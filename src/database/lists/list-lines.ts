import type { RunStatement, Statement } from '../database.js';
import { chunksOf } from '../chunks.js';
import { foundRows, keyColumns, type ListStatement, orderText } from './list-statement.js';

/** The octets of long texts that are read at once, unless one row alone has more. */
export const PART_OCTETS = 128 * 1024;
/** Keys that are fetched at once. */
const FETCHED = 1000;
/** Rows that are read at once, if their texts are not too long for that. */
export const MAX_ROWS = 500;

/**
 * Reads the id and the line of the rows with the ids `$1` or, in a list of one owner, of the owner `$1` with the ids `$2`;
 * its own values follow.
 */
export interface LinesStatement extends Statement {
  /** An SQL expression over `t`: the octets of what may be long in a line. */
  readonly octets: string;
  /** The text before the first line. */
  readonly head: string;
  readonly lineEnd: string;
  readonly values: readonly string[];
}

/**
 * All rows of a list as lines, in its order, so many at once as fit into memory whatever is in them. The head comes with
 * the first of them: a failure before is still answered by a problem document. A cursor has only the keys, which are short
 * to sort, and to gather where the owners are on several servers; the rows are looked up by them.
 */
export async function* linesOfList(
  run: RunStatement,
  list: ListStatement,
  lines: LinesStatement,
): AsyncGenerator<string, void> {
  const [owner] = list.values;
  let { head } = lines;
  await run({ text: declarationOf(list, lines.octets) }, [...list.values]);
  for (let found = FETCHED; found === FETCHED;) {
    const keys = await run<{ id: string; octets: number }>({ text: `FETCH ${FETCHED} FROM keys` }, []);
    for (const part of chunksOf(keys, ({ octets }) => octets, { items: MAX_ROWS, size: PART_OCTETS })) {
      const ids = part.map(({ id }) => id);
      const values = list.ofOneOwner === true ? [owner, ids] : [ids];
      const rows = await run<{ id: string; line: string }>(lines, [...values, ...lines.values]);
      const byId = new Map(rows.map(({ id, line }) => [id, line + lines.lineEnd]));
      yield head + ids.map((id) => byId.get(id) ?? '').join('');
      head = '';
    }
    found = keys.length;
  }
  if (head !== '') yield head;
}

/** Declares the cursor for the ids in their order, and the octets of each row. */
export function declarationOf(list: ListStatement, octets: string): string {
  const order = list.order();
  return `DECLARE keys NO SCROLL CURSOR FOR WITH ${foundRows(list, `${keyColumns(order)}, ${octets} AS octets`)}
    SELECT id, octets FROM found ORDER BY ${orderText(order)}`;
}
