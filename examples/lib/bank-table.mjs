import { CsvError, readCsv } from './csv.mjs';

/**
 * The columns of the file and the records below their names, with the first separator by which there are such columns.
 * Columns given by position belong to a file without a line of names.
 */
export function tableIn(text, columns, separators) {
  const tableBy = columns.every(Number.isInteger) ? tableByPosition : tableByName;
  for (const separator of separators) {
    const table = tableBy(text, columns, separator);
    if (table !== undefined) return table;
  }
  const names = columns.map((name) => `"${name}"`).join(', ');
  throw new CsvError(`no line has the columns ${names}${nearestLine(text, columns, separators)}`);
}

function tableByPosition(text, columns, separator) {
  const count = readableRecords(text, separator)[0]?.fields.length ?? 0;
  if (count < Math.max(...columns)) return undefined;
  return {
    header: Array.from({ length: count }, (_, index) => index + 1),
    records: readCsv(text, separator),
  };
}

/** Reads as far as the line of column names; in the rest of the file quotes that do not end are an error. */
function tableByName(text, columns, separator) {
  const records = readCsv(text, separator);
  try {
    for (let record = records.next(); !record.done; record = records.next()) {
      const header = record.value.fields.map((field) => field.trim());
      if (columns.every((column) => header.includes(column))) return { header, records };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return undefined;
}

/** The line that has most of the columns: its names are likely the ones that should be in the rules. */
function nearestLine(text, columns, separators) {
  let best = { found: 0, hint: '' };
  for (const separator of separators)
    for (const { line, fields } of readableRecords(text, separator)) {
      const names = fields.map((field) => field.trim());
      const missing = columns.filter((column) => !names.includes(column));
      const found = columns.length - missing.length;
      const quoted = missing.map((name) => `"${name}"`).join(', ');
      if (found > best.found)
        best = { found, hint: `; line ${line} lacks ${quoted} and has: ${names.filter(Boolean).join(', ')}` };
    }
  return best.hint;
}

function readableRecords(text, separator) {
  const found = [];
  try {
    for (const record of readCsv(text, separator)) found.push(record);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return found;
}
