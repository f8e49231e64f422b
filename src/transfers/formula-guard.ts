/** What a spreadsheet takes for the beginning of a formula, or passes over before one; the wide forms count, too. */
const STARTS = '=+-@\t\r\n＝＋－＠';
const CODE_POINTS = Array.from(STARTS, (start) => start.charCodeAt(0)).join(', ');
const GUARDED = new RegExp(`^'+[${STARTS.replace('-', '\\-')}]`);

/**
 * SQL: the text as it stands in a cell. What begins as a formula does, be it behind apostrophes of its own, gets one
 * more apostrophe: so {@link unguarded} has the text again, whatever it is.
 */
export function guardedSql(text: string): string {
  return `CASE WHEN ascii(ltrim(${text}, '''')) IN (${CODE_POINTS}) THEN '''' || ${text} ELSE ${text} END`;
}

/** The text of a cell. */
export function unguarded(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}
