import { CsvError, parse } from 'csv-parse/sync';
import { Refusal } from '../faults.js';
import { type Column, folded, type Row, type Table } from './table.js';

const SEPARATORS = [';', ',', '\t', '|'];
const BREAK = /\r\n|\r|\n/;

/** By the first separator with which a line has all columns. Positions alone belong to a file without a line of names. */
export function csvTable(text: string, columns: readonly Column[]): Table {
  const names = columns.filter((column) => typeof column === 'string');
  const width = Math.max(0, ...columns.filter((column) => typeof column === 'number'));
  for (const separator of SEPARATORS) {
    const { rows, fault } = parsed(text, separator);
    const head = rows.findIndex(({ cells }) => names.every((name) => cells.includes(name)));
    const header = rows[head]?.cells ?? [];
    if (header.length < Math.max(width, 1)) continue;
    if (fault !== undefined) throw new Refusal(fault);
    const [titles, below] = names.length > 0 ? [header, rows.slice(head + 1)] : [[] as string[], rows];
    const twice = names.find((name) => titles.indexOf(name) < titles.lastIndexOf(name));
    if (twice !== undefined) {
      const places = titles.flatMap((title, index) => (title === twice ? [index + 1] : []));
      const told = `several columns "${twice}": name one by its position, ${places.join(' or ')} (without quotes)`;
      throw new Refusal(`line ${rows[head]?.line ?? 1} has ${told}`);
    }
    const count = titles.findLastIndex((name) => name !== '') + 1 || header.length;
    return { names: titles, rows: below.map((row) => checked(row, count)) };
  }
  const quoted = columns.map((column) => (typeof column === 'string' ? `"${column}"` : column));
  throw new Refusal(`no line has the columns ${quoted.join(', ')}`);
}

/** Spaces around quotes are allowed, or else quotes within a text. The fault is that the text has no end. */
function parsed(text: string, separator: string, trim = true): { rows: readonly Row[]; fault?: string } {
  const rows: Row[] = [];
  const add = ({ record, info }: { record: string[]; info: { lines: number } }): null => {
    const line = info.lines - (record.join('').split(BREAK).length - 1);
    const fault = hasSwallowed(record, separator) ? { fault: SWALLOWED } : {};
    if (record.some((cell) => folded(cell) !== '')) rows.push({ line, cells: record.map(folded), ...fault });
    return null;
  };
  try {
    parse(text, {
      ...{ delimiter: separator, bom: true, info: true, trim, skip_empty_lines: true },
      ...{ relax_quotes: true, relax_column_count: true },
      on_record: (found: unknown) => add(found as Parameters<typeof add>[0]),
    });
    return { rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (trim) return parsed(text, separator, false);
    return { rows, fault: `line ${(rows.at(-1)?.line ?? 0) + 1}: a quoted text has no end` };
  }
}

const SWALLOWED = 'has a quoted text that runs over whole lines: there is a quote missing, or one too many';

/** Whether each of the lines that one cell spans would be a record by itself. */
function hasSwallowed(record: readonly string[], separator: string): boolean {
  return record.some((cell, index) => {
    const counts = cell.split(BREAK).map((line) => line.split(separator).length);
    if (counts.length < 2 || record.length < 3) return false;
    const [first = 0, last = 0] = [counts.shift(), counts.pop()];
    const all = [first + index, ...counts, last + record.length - 1 - index];
    return all.every((count) => count === record.length);
  });
}

/** Some banks end each line, or that of the names alone, with a separator. */
function checked(row: Row, count: number): Row {
  const { cells } = row;
  if (cells.length >= count && cells.slice(count).every((cell) => cell === '')) return row;
  return { ...row, fault: row.fault ?? `has ${cells.length} fields, but the line of names has ${count}` };
}
