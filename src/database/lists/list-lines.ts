import type { RunStatement, Statement } from '../database.js';
import { byKey } from '../statements.js';
import { foundRows, keyColumns, type ListStatement, orderText } from './statement.js';

/** Most octets of long texts that one statement reads, unless a single row has more. */
export const PART_OCTETS = 128 * 1024;
const FETCHED = 1000; // keys fetched by one statement
/** Most rows that one statement reads. */
const MAX_ROWS = 500;

/** Reads {@link TextRow}s: `$1` ids or, for one owner, `$1` owner and `$2` ids; then its own values. */
export interface LinesStatement extends Statement {
  /** SQL over `t`: the octets of the fields that may be long. */
  readonly octets: string;
  /** The text before the first line, which is sent with it. */
  readonly head: string;
  readonly lineEnd: string;
  readonly values: readonly string[];
}

/**
 * All rows of a list as lines, in its order, in chunks that fit into memory whatever the rows hold. A cursor holds the keys
 * alone, which are short to sort and, in a cluster, to gather; the rows are looked up by them.
 */
export async function* linesOfList(run: RunStatement, list: ListStatement, lines: LinesStatement) {
  const toText = (texts: readonly string[]): string => texts.map((text) => text + lines.lineEnd).join('');
  await run({ text: declarationOf(list, lines.octets) }, [...list.values]);
  for (let found = FETCHED; found === FETCHED;) {
    const keys = await run<KeyRow>({ text: `FETCH ${FETCHED} FROM keys` }, []);
    const read = async (...values: unknown[]) => run<TextRow>(lines, [...values, ...lines.values]);
    yield* partsOf(list, keys, read, toText);
    found = keys.length;
  }
}

type KeyRow = Readonly<{ id: string; octets: number }>;
export type TextRow = Readonly<{ id: string; text: string }>;

/**
 * Texts of rows, without deleted ones, in chunks that fit into memory: one is in it while its client takes it, and on V8's
 * heap none. `read` gets the owner, in a list of one, and ids.
 */
export async function* partsOf(
  { values: [owner], ofOneOwner = false }: ListStatement,
  keys: readonly KeyRow[],
  read: (...values: unknown[]) => Promise<readonly TextRow[]>,
  toText: (texts: readonly string[]) => string,
): AsyncGenerator<Buffer, void> {
  const partOf = async (ids: readonly string[]): Promise<Buffer> => {
    const rows = await (ofOneOwner ? read(owner, ids) : read(ids));
    const byId = new Map(rows.map(({ id, text }) => [id, text]));
    return Buffer.from(toText(ids.flatMap((id) => byId.get(id) ?? [])));
  };
  for (const part of chunksOf(keys, ({ octets }) => octets, { items: MAX_ROWS, size: PART_OCTETS }))
    yield await partOf(part.map(({ id }) => id));
}

/** SQL: FROM the rows `t`. For an array of ids PostgreSQL would read all rows of an owner, where it expects few. */
export function rowsOf(table: ListStatement['table'], ofOneOwner: boolean): string {
  const row = `SELECT t.* FROM ${table} t WHERE ${byKey('k.id')} OFFSET 0`;
  return ofOneOwner
    ? `FROM unnest($2::bigint[]) k (id) CROSS JOIN LATERAL (${row}) t LIMIT ${MAX_ROWS}`
    : `FROM ${table} t WHERE t.id = ANY ($1::bigint[]) LIMIT ${MAX_ROWS}`;
}

/** Declares the cursor for the ids in their order, and the octets of each row. */
export function declarationOf(list: ListStatement, octets: string): string {
  const order = list.order();
  return `DECLARE keys NO SCROLL CURSOR FOR WITH ${foundRows(list, `${keyColumns(order)}, ${octets} AS octets`)}
    SELECT id, octets FROM found ORDER BY ${orderText(order)}`;
}

/** The items in their order, in chunks within both bounds. An item larger than its bound is a chunk by itself. */
export function* chunksOf<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  most: { readonly items: number; readonly size: number },
): Generator<T[], void> {
  let [part, size]: [T[], number] = [[], 0];
  for (const item of items) {
    if (part.length > 0 && (part.length === most.items || size + sizeOf(item) > most.size)) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(item);
    size += sizeOf(item);
  }
  if (part.length > 0) yield part;
}
