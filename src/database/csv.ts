import { type CsvQuery, SEPARATORS } from '../common/validation/csv-form.js';

/** The form of a value in a cell of CSV: `word` is a value of an enumeration, `json` a list or an object. */
export type CellKind = 'text' | 'word' | 'instant' | 'number' | 'boolean' | 'json';

/** Characters by which a spreadsheet knows a formula, the wide forms included, and white space that may precede one. */
const SIGNS = '=+@＝＋－＠-';
const STARTS = `\t\r\n${SIGNS}`;
const CODE_POINTS = Array.from(STARTS, (start) => start.charCodeAt(0)).join(', ');
/** Where a spreadsheet assumes another separator than the file's, a cell also begins after these: `x;=1+1`. */
const BEFORE = ',;\t\r\n';

/** A column of CSV, the kind of its cells, and the SQL of their values. */
export type CsvColumn = readonly [name: string, kind: CellKind, value: string];

export function csvLine(columns: readonly CsvColumn[], { separator, decimal }: CsvQuery): string {
  const cells = columns.map(([, kind, value]) => CELLS[kind](value, decimal));
  return cells.join(` || '${SEPARATORS[separator]}' || `);
}

/** Kind → SQL of a cell, from SQL of its value. */
const CELLS: Readonly<Record<CellKind, (value: string, decimal: string) => string>> = {
  text: (value) => quoted(guarded(value)),
  word: quoted,
  json: (value) => quoted(guardedJson(`to_json(${value})::text`)),
  instant: plain,
  number: (value, decimal) =>
    decimal === '.' ? plain(value) : `replace(${plain(value)}, '.', '${decimal}')`,
  boolean: plain,
};

function quoted(text: string): string {
  return `coalesce('"' || replace(${text}, '"', '""') || '"', '')`;
}

function plain(value: string): string {
  return `coalesce((${value})::text, '')`;
}

/** SQL: the text with an apostrophe before each formula, and before apostrophes that precede one, for {@link unguarded}. */
function guarded(text: string): string {
  const within = `regexp_replace(${text}, '([${BEFORE}])(''*[${SIGNS}])', '\\1''\\2', 'g')`;
  return `CASE WHEN ascii(ltrim(${text}, '''')) IN (${CODE_POINTS}) THEN '''' ELSE '' END || ${within}`;
}

/** SQL: the same JSON, its separators escaped where a formula follows within a text. */
function guardedJson(json: string): string {
  const escaped = (sql: string, separator: string, code: string): string =>
    `regexp_replace(${sql}, '${separator}(''*[${SIGNS}])', '\\\\u${code}\\1', 'g')`;
  return escaped(escaped(json, ',', '002c'), ';', '003b');
}

const AT_START = new RegExp(`^'(?='*[${STARTS}])`);
const WITHIN = new RegExp(`(?<=[${BEFORE}])'(?='*[${SIGNS}])`, 'g');

/** The text of a cell. */
export function unguarded(cell: string): string {
  return cell.includes("'") ? cell.replace(AT_START, '').replaceAll(WITHIN, '') : cell;
}
