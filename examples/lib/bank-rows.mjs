import { createHash } from 'node:crypto';
import { bankCentsOf, decimalMarkIn } from './bank-amounts.mjs';
import { CsvError, readCsv } from './csv.mjs';
import { dateOf } from './dates.mjs';
import { decimalOf } from './money.mjs';

const MAX_TEXT = 255;

/**
 * What the bank's CSV says, as transactions of the API. `rules` is the content of the rules file, `format` has
 * `separators` to try, `dateFormat`, and `decimalMark` unless it is to be found out. What stands before the line of
 * column names is passed over. A row that cannot be understood becomes a fault; the others are not affected.
 */
export function readBankRows(text, rules, format) {
  const { records, header } = tableIn(text, columnsOf(rules), format.separators);
  const wanted = [];
  let skipped = 0;
  const seen = new Map();
  for (const { line, fields } of records) {
    const trimmed = fields.map((field) => field.trim());
    // Equal rows are told apart by their order: whole days of a statement always have the same ones.
    const content = JSON.stringify(trimmed);
    const ordinal = seen.get(content) ?? 0;
    seen.set(content, ordinal + 1);
    const cells = withoutSurplus(trimmed, header.length);
    const valueOf = (column) => cells[header.indexOf(column)]?.replace(/\s+/g, ' ') ?? '';
    if (isSkipped(cells, valueOf, rules)) skipped++;
    else wanted.push({ line, cells, valueOf, reference: referenceOf(content, ordinal) });
  }
  const decimalMark =
    format.decimalMark ??
    decimalMarkIn(
      wanted.filter(({ cells }) => cells.length === header.length).flatMap(amountsWith(rules.columns)),
    );
  const rows = [];
  const faults = [];
  for (const { line, cells, valueOf, reference } of wanted) {
    try {
      if (cells.length !== header.length)
        throw new Error(`has ${cells.length} fields, and the line of column names ${header.length}`);
      const transaction = transactionIn(valueOf, rules, { ...format, decimalMark });
      if (transaction === undefined) skipped++;
      else rows.push({ line, ...transaction, reference });
    } catch (error) {
      faults.push({ line, message: error.message });
    }
  }
  return { rows, faults, skipped };
}

function columnsOf({ columns, skip }) {
  const ofSkip = skip.map(({ column }) => column).filter((column) => column !== undefined);
  return [...new Set([...Object.values(columns).flat(), ...ofSkip])];
}

/** Some banks end each line but that of the column names with a separator. */
function withoutSurplus(cells, count) {
  return cells.slice(count).every((cell) => cell === '') ? cells.slice(0, count) : cells;
}

function isSkipped(cells, valueOf, { skip }) {
  return skip.some(({ contains, equals, column }) => {
    const places = column === undefined ? cells : [valueOf(column)];
    if (contains !== undefined) return places.some((place) => includes(place, contains));
    return equals !== undefined && valueOf(column) === equals;
  });
}

function includes(text, part) {
  return text.toLowerCase().includes(part.toLowerCase());
}

function amountsWith({ amount, credit, debit, fee }) {
  const columns = [amount, credit, debit, fee].filter((column) => column !== undefined);
  return ({ valueOf }) => columns.map(valueOf);
}

/** The records below the line of column names, with the first separator by which there is one. */
function tableIn(text, columns, separators) {
  for (const separator of separators) {
    const records = readCsv(text, separator);
    const header = headerIn(records, columns);
    if (header !== undefined) return { header, records };
  }
  const names = columns.map((name) => `"${name}"`).join(', ');
  throw new CsvError(`no line has the columns ${names}${nearestLine(text, columns, separators)}`);
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

/** Undefined for a line that moves no money, where the rules skip those. */
function transactionIn(valueOf, { columns, property, rules, otherwise, currency, skip }, format) {
  const skipsZero = skip.some(({ zero }) => zero === true);
  const cents = movedCents(valueOf, columns, { ...format, mayBeEmpty: skipsZero });
  if (cents === 0n && skipsZero) return undefined;
  if (cents === 0n)
    throw new Error('no money has moved; "skip": [{"zero": true}] of the rules passes over such lines');
  const date = dateOf(valueOf(columns.date), format.dateFormat);
  const found = columns.currency === undefined ? currency : valueOf(columns.currency);
  if (currency !== undefined && found !== currency)
    throw new Error(`is in "${found}", and the rules want ${currency}; skip of the rules can pass over it`);
  const description = [columns.description].flat().map(valueOf).filter(Boolean).join(', ');
  const type = cents > 0n ? 'INCOME' : 'EXPENSE';
  const rule = rules.find(({ contains }) => includes(description, contains));
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

/** What came in, less what went out and the fee. */
function movedCents(valueOf, { amount, credit, debit, fee }, { decimalMark, mayBeEmpty }) {
  const centsIn = (column, mayLack) => {
    const text = column === undefined ? '' : valueOf(column);
    if (text === '' && mayLack) return 0n;
    const cents = bankCentsOf(text, decimalMark);
    if (cents === undefined) throw new Error(`"${text}" is no amount of whole cents`);
    return cents;
  };
  const unsigned = (cents) => (cents < 0n ? -cents : cents);
  const moved =
    amount === undefined
      ? centsIn(credit, true) - unsigned(centsIn(debit, true))
      : centsIn(amount, mayBeEmpty);
  return moved - unsigned(centsIn(fee, true));
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
