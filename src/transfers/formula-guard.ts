/** Characters by which a spreadsheet knows a formula, the wide forms included, and white space that may precede one. */
const SIGNS = '=+@＝＋－＠-';
const STARTS = `\t\r\n${SIGNS}`;
const CODE_POINTS = Array.from(STARTS, (start) => start.charCodeAt(0)).join(', ');
/** A cell begins behind these, too, where a spreadsheet takes another separator than the file's: `x;=1+1`. */
const BEFORE = ',;\t\r\n';

/**
 * SQL: the text as it stands in a cell, with an apostrophe before each formula, and before the apostrophes in front of
 * one: so {@link unguarded} has the text again, whatever it is.
 */
export function guardedSql(text: string): string {
  const within = `regexp_replace(${text}, '([${BEFORE}])(''*[${SIGNS}])', '\\1''\\2', 'g')`;
  return `CASE WHEN ascii(ltrim(${text}, '''')) IN (${CODE_POINTS}) THEN '''' ELSE '' END || ${within}`;
}

/** SQL: JSON as it stands in a cell: the same JSON, its separators escaped where a formula follows within a text. */
export function guardedJsonSql(json: string): string {
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
