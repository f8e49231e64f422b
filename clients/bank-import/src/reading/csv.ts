import { CsvError, parse } from 'csv-parse/sync';
import { Refusal } from '../faults.js';
import { type Column, folded, type Row, type Table } from './table.js';

const SEPARATORS = [';', ',', '\t', '|'];

interface Parsed {
  readonly separator: string;
  readonly rows: readonly Row[];
  /** Why the text ends before its end. */
  readonly fault: string | undefined;
}

/**
 * The table of a CSV file, by the first separator with which a line has all of the columns. Lines before that one are
 * passed over. Columns given by position alone belong to a file without a line of names.
 */
export function csvTable(text: string, columns: readonly Column[], separator: string | undefined): Table {
  const tries = (separator === undefined ? SEPARATORS : [separator]).map((char) => parsed(text, char));
  const names = columns.filter((column) => typeof column === 'string');
  const width = Math.max(0, ...columns.filter((column) => typeof column === 'number'));
  for (const { rows, fault } of tries) {
    const head = rows.findIndex(({ cells }) => names.every((name) => cells.includes(name)));
    const header: readonly string[] = rows[head]?.cells ?? [];
    if (head < 0 || header.length < width) continue;
    if (fault !== undefined) throw new Refusal(fault);
    const [below, titles] = names.length > 0 ? [rows.slice(head + 1), header] : [rows, [] as string[]];
    const twice = names.find((name) => titles.indexOf(name) < titles.lastIndexOf(name));
    if (twice !== undefined) throw new Refusal(ambiguous(twice, titles, rows[head]?.line ?? 1));
    const columnCount = titles.findLastIndex((name) => name !== '') + 1 || header.length;
    return { names: titles, rows: below.map((row) => checked(row, columnCount)) };
  }
  throw new Refusal(missing(tries, columns));
}

/** Spaces around quotes are allowed, or else quotes within a text. */
function parsed(text: string, separator: string, trim = true): Parsed {
  const options = { delimiter: separator, bom: true, info: true, trim } as const;
  const lenient = { relax_quotes: true, relax_column_count: true, skip_empty_lines: true } as const;
  const rows: Row[] = [];
  let fault: string | undefined;
  try {
    parse(text, {
      ...options,
      ...lenient,
      on_record: (found: unknown) => {
        const { record, info } = found as { record: string[]; info: { lines: number } };
        const breaks = record.join('').match(/\r\n|\r|\n/g)?.length ?? 0;
        const swallows = hasSwallowed(record, separator) ? { fault: SWALLOWED } : {};
        rows.push({ line: info.lines - breaks, cells: record.map(folded), ...swallows });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (trim) return parsed(text, separator, false);
    fault = `line ${rows.length === 0 ? 1 : (rows.at(-1)?.line ?? 0) + 1}: a quoted text has no end`;
  }
  return { separator, rows: rows.filter(({ cells }) => cells.some((cell) => cell !== '')), fault };
}

const SWALLOWED = 'has a quoted text that goes on over whole lines: a quote is missing or too many';

/** Whether each of the lines that one cell spans would be a record by itself. */
function hasSwallowed(record: readonly string[], separator: string): boolean {
  return record.some((cell, index) => {
    const counts = cell.split(/\r\n|\r|\n/).map((line) => line.split(separator).length);
    if (counts.length < 2 || record.length < 3) return false;
    counts[0] = (counts[0] ?? 0) + index;
    counts.push((counts.pop() ?? 0) + record.length - 1 - index);
    return counts.every((count) => count === record.length);
  });
}

/** Some banks end each line, or that of the names alone, with a separator. */
function checked(row: Row, count: number): Row {
  const { cells } = row;
  if (cells.length >= count && cells.slice(count).every((cell) => cell === '')) return row;
  return { ...row, fault: row.fault ?? `has ${cells.length} fields, but the line of names has ${count}` };
}

function ambiguous(name: string, header: readonly string[], line: number): string {
  const places = header.flatMap((title, index) => (title === name ? [index + 1] : []));
  return `line ${line} has several columns "${name}": name one by its position, ${places.join(' or ')} (without quotes)`;
}

/** Names the line that has most of the columns: its names are likely those that belong in the rules. */
function missing(tries: readonly Parsed[], columns: readonly Column[]): string {
  let best = { found: 0, hint: '' };
  for (const { rows } of tries)
    for (const { line, cells } of rows) {
      const lacking = columns.filter((column) => typeof column === 'string' && !cells.includes(column));
      const found = columns.length - lacking.length;
      const hint = `; line ${line} lacks ${quoted(lacking)} and has: ${cells.filter(Boolean).join(', ')}`;
      if (found > best.found && lacking.length > 0) best = { found, hint };
    }
  const broken = tries.find(({ rows, fault }) => fault !== undefined && rows.length > 1)?.fault ?? '';
  return `no line has the columns ${quoted(columns)}${best.hint || (broken && `; ${broken}`)}`;
}

function quoted(columns: readonly Column[]): string {
  return columns.map((column) => (typeof column === 'string' ? `"${column}"` : String(column))).join(', ');
}
