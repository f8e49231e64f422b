import { createHash } from 'node:crypto';
import { CsvError, readCsv } from './csv.mjs';
import { centsOf, decimalOf } from './money.mjs';

const MAX_TEXT = 255;

/**
 * What the bank's CSV says, as transactions of the API. `rules` is the content of the rules file, `format` has
 * `separators` to try, `dateFormat` and `decimalMark`. What stands before the line of column names is passed over.
 * A row that cannot be understood becomes a fault; the others are not affected.
 */
export function readBankRows(text, rules, format) {
  const { records, header } = tableIn(text, Object.values(rules.columns).flat(), format.separators);
  const rows = [];
  const faults = [];
  const seen = new Map();
  for (const { line, fields } of records) {
    // Equal rows are told apart by their order: whole days of a statement always have the same ones.
    const content = JSON.stringify(fields.map((field) => field.trim()));
    const ordinal = seen.get(content) ?? 0;
    seen.set(content, ordinal + 1);
    try {
      if (fields.length !== header.length)
        throw new Error(`has ${fields.length} fields, and the line of column names ${header.length}`);
      const valueOf = (column) => fields[header.indexOf(column)].trim().replace(/\s+/g, ' ');
      rows.push({ line, ...transactionIn(valueOf, rules, format), reference: referenceOf(content, ordinal) });
    } catch (error) {
      faults.push({ line, message: error.message });
    }
  }
  return { rows, faults };
}

/** The records below the line of column names, with the first separator by which there is one. */
function tableIn(text, columns, separators) {
  for (const separator of separators) {
    const records = readCsv(text, separator);
    const header = headerIn(records, columns);
    if (header !== undefined) return { header, records };
  }
  throw new CsvError(`no line has the columns ${columns.map((name) => `"${name}"`).join(', ')}`);
}

/** Reads as far as the line of column names; in the rest of the file quotes that do not end are an error. */
function headerIn(records, columns) {
  try {
    for (let record = records.next(); !record.done; record = records.next()) {
      const names = record.value.fields.map((field) => field.trim());
      if (columns.every((column) => names.includes(column))) return names;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return undefined;
}

function transactionIn(valueOf, { columns, property, rules, otherwise }, { dateFormat, decimalMark }) {
  const cents = centsOf(valueOf(columns.amount), decimalMark);
  if (cents === undefined) throw new Error(`"${valueOf(columns.amount)}" is no amount of whole cents`);
  if (cents === 0n) throw new Error('no money has moved');
  const date = dateOf(valueOf(columns.date), dateFormat);
  const description = [columns.description].flat().map(valueOf).filter(Boolean).join(', ');
  const type = cents > 0n ? 'INCOME' : 'EXPENSE';
  const rule = rules.find(({ contains }) => description.toLowerCase().includes(contains.toLowerCase()));
  return {
    property: rule?.property ?? property,
    amount: decimalOf(cents < 0n ? -cents : cents),
    fields: {
      type,
      category: rule?.category ?? otherwise[type],
      description: shortened(description || type),
      date,
      status: 'PAID',
      paidAt: date,
      paymentMethod: 'BANK_TRANSFER',
      vendor: columns.vendor === undefined ? null : shortened(valueOf(columns.vendor)) || null,
      notes: shortened(description) === description ? null : description,
    },
  };
}

/** Midnight UTC of the day, which must be one of the calendar. */
function dateOf(text, format) {
  const pattern = format
    .replace(/[^YMD]/g, '\\$&')
    .replace('YYYY', '(?<year>\\d{4})')
    .replace('MM', '(?<month>\\d{1,2})')
    .replace('DD', '(?<day>\\d{1,2})');
  const { year, month, day } = new RegExp(`^${pattern}$`).exec(text)?.groups ?? {};
  const iso = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}T00:00:00`;
  const date = new Date(`${iso}Z`);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(iso))
    throw new Error(`"${text}" is no date of the form ${format}`);
  return `${iso}Z`;
}

/** By it a row is found again: the same for the same row in every file and at every time. */
function referenceOf(content, ordinal) {
  return `csv-${createHash('sha256').update(`${ordinal} ${content}`).digest('hex')}`;
}

/** The service counts characters as code points. */
function shortened(text) {
  const characters = Array.from(text);
  return characters.length <= MAX_TEXT ? text : `${characters.slice(0, MAX_TEXT - 1).join('')}…`;
}
