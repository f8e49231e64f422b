import { createHash } from 'node:crypto';
import { bankCentsOf, decimalMarkIn } from './bank-amounts.mjs';
import { amountIn, checkDirections, directed } from './bank-directions.mjs';
import { tableIn } from './bank-table.mjs';
import { dayOf, startOfDay } from './dates.mjs';
import { decimalOf } from './money.mjs';

const MAX_TEXT = 255;

/**
 * The lines of a bank's CSV, each with its transactions of the API: one, or two where the fee is one of its own. `rules`
 * is the content of the rules file, `format` has `separators` to try, `dateFormat`, `timeZone`, and `decimalMark` unless
 * it is to be found out. Text before the line of column names is passed over. A row that cannot be understood becomes a
 * fault; the others are not affected.
 */
export function readBankRows(text, rules, format) {
  const { records, header } = tableIn(text, columnsOf(rules), format.separators);
  const { wanted, skipped } = linesIn(records, header, rules);
  const complete = wanted.filter(({ cells }) => cells.length === header.length);
  const decimalMark = format.decimalMark ?? decimalMarkIn(complete.flatMap(amountsWith(rules.columns)));
  checkDirections(header, complete, rules, decimalMark);
  const result = { rows: [], faults: [], skipped };
  for (const { line, cells, valueOf, reference } of wanted) {
    try {
      if (cells.length !== header.length)
        throw new Error(`has ${cells.length} fields, but the header line has ${header.length}`);
      const row = rowIn(valueOf, rules, { ...format, decimalMark }, reference);
      if (row === undefined) result.skipped++;
      else result.rows.push({ line, reference, ...row });
    } catch (error) {
      result.faults.push({ line, message: error.message });
    }
  }
  return result;
}

/** The records as lines with their references, without those that the rules skip. */
function linesIn(records, header, rules) {
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
  return { wanted, skipped };
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

function amountsWith({ amount, credit, debit, fee, net }) {
  const columns = [amount, credit, debit, fee, net].flat().filter((column) => column !== undefined);
  return ({ valueOf }) => columns.map(valueOf);
}

/** Undefined for a line that moves no money, where the rules skip those. */
function rowIn(valueOf, rules, format, reference) {
  const { columns, currency, skip } = rules;
  const skipsZero = skip.some(({ zero }) => zero === true);
  const { moved, fee } = movedCents(valueOf, rules, { ...format, mayBeEmpty: skipsZero });
  if (moved === 0n && fee === 0n && skipsZero) return undefined;
  if (moved === 0n && fee === 0n)
    throw new Error('the amount is zero; "skip": [{"zero": true}] in the rules skips such lines');
  const found = columns.currency === undefined ? currency : valueOf(columns.currency);
  if (currency !== undefined && found !== currency)
    throw new Error(
      `is in "${found}", but the rules expect ${currency}; "skip" in the rules can pass over it`,
    );
  const description = [columns.description].flat().map(valueOf).filter(Boolean).join(', ');
  const rule = rules.rules.find(({ contains }) => includes(description, contains));
  const day = dayOf(valueOf(columns.date), format.dateFormat);
  const line = {
    description,
    date: startOfDay(day, format.timeZone),
    vendor: columns.vendor === undefined ? '' : valueOf(columns.vendor),
  };
  const transactions = [
    transactionOf(moved, { ...line, category: rule?.category, reference }, rules),
    transactionOf(-fee, { ...line, category: rules.feeCategory, reference: `${reference}-fee` }, rules),
  ];
  return { day, property: rule?.property ?? rules.property, transactions: transactions.filter(Boolean) };
}

/** Undefined when there is no money in it. */
function transactionOf(cents, { description, date, vendor, category, reference }, { otherwise }) {
  if (cents === 0n) return undefined;
  const type = cents > 0n ? 'INCOME' : 'EXPENSE';
  const amount = decimalOf(cents < 0n ? -cents : cents);
  const fields = {
    type,
    category: category ?? otherwise[type],
    description: shortened(description || type),
    date,
    status: 'PAID',
    paidAt: date,
    paymentMethod: 'BANK_TRANSFER',
    paymentReference: reference,
    vendor: shortened(vendor) || null,
    notes: shortened(description) === description ? null : description,
  };
  return { amount, fields };
}

/** What came in, less what went out and the fee; or, where the rules name a category for it, beside the fee. */
function movedCents(valueOf, { columns, feeCategory, negate, ...words }, { decimalMark, mayBeEmpty }) {
  const { amount, credit, debit, direction, fee, net } = columns;
  const centsOf = (text, mayLack) => {
    if (text === '' && mayLack) return 0n;
    const cents = bankCentsOf(text, decimalMark);
    if (cents === undefined) throw new Error(`"${text}" is not an amount in whole cents`);
    return cents;
  };
  const centsIn = (column) => centsOf(column === undefined ? '' : valueOf(column), true);
  const read =
    amount === undefined
      ? centsIn(credit) - unsigned(centsIn(debit))
      : centsOf(amountIn(valueOf, amount), mayBeEmpty);
  const signed = (cents) => {
    const turned = negate === true ? -cents : cents;
    return direction === undefined ? turned : directed(turned, valueOf(direction), words);
  };
  const moved = signed(read);
  const cost = net === undefined ? unsigned(centsIn(fee)) : moved - signed(centsOf(valueOf(net), mayBeEmpty));
  return feeCategory === undefined ? { moved: moved - cost, fee: 0n } : { moved, fee: cost };
}

function unsigned(cents) {
  return cents < 0n ? -cents : cents;
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
