import { bankCentsOf } from './bank-amounts.mjs';
import { CsvError } from './csv.mjs';

/** What banks write for money that comes in and money that goes out. */
const PAIRS = [
  ['in', 'out'],
  ['credit', 'debit'],
  ['cr', 'dr'],
  ['c', 'd'],
  ['crdt', 'dbit'],
  ['bij', 'af'],
  ['haben', 'soll'],
  ['h', 's'],
  ['eingang', 'ausgang'],
  ['crédit', 'débit'],
  ['crédito', 'débito'],
  ['credito', 'debito'],
  ['avere', 'dare'],
  ['abono', 'cargo'],
  ['received', 'sent'],
  ['+', '-'],
];
const NAMES = [
  'direction',
  'debit/credit',
  'credit/debit',
  'dr/cr',
  'cr/dr',
  'd/c',
  'c/d',
  'af bij',
  'soll/haben',
];

/** Unsigned amounts beside a column that says which of them go out would all become income: the file is refused. */
export function checkDirections(header, lines, rules, decimalMark) {
  const { amount, direction, description, vendor } = rules.columns;
  if (direction !== undefined || amount === undefined) return;
  const texts = [description, vendor].flat();
  for (const column of header.filter((name) => !texts.includes(name))) {
    if (NAMES.includes(String(column).toLowerCase()))
      throw refusalOf(`"${column}" says which amounts go out`);
    const contradiction = contradictionIn(column, lines, rules, decimalMark);
    if (contradiction !== undefined) throw refusalOf(contradiction);
  }
}

function refusalOf(reason) {
  return new CsvError(
    `${reason}, and the rules do not use it: "columns": {"direction": …} names the column, "in" and "out" its words. ` +
      'Where all amounts have the wrong sign, "negate": true turns them',
  );
}

/** A word for one direction beside an amount of the other, in a column that has nothing but words for directions. */
function contradictionIn(column, lines, { columns, negate }, decimalMark) {
  const words = lines.map(({ valueOf }) => valueOf(column).toLowerCase());
  const pair = PAIRS.find((candidates) => words.every((word) => word === '' || candidates.includes(word)));
  if (pair === undefined) return undefined;
  const found = lines.findIndex(({ valueOf }, index) => {
    const cents = bankCentsOf(amountIn(valueOf, columns.amount), decimalMark) ?? 0n;
    return words[index] === pair[cents < 0n === (negate ?? false) ? 1 : 0] && cents !== 0n;
  });
  if (found < 0) return undefined;
  const { line, valueOf } = lines[found];
  return `line ${line} has "${valueOf(column)}" in "${column}" and the amount "${amountIn(valueOf, columns.amount)}"`;
}

/** The first of the columns that is not empty. */
export function amountIn(valueOf, amount) {
  return [amount].flat().map(valueOf).find(Boolean) ?? '';
}

/** The amount with the sign of its direction. */
export function directed(cents, word, { in: ins, out: outs }) {
  const isOut = outs.includes(word.toLowerCase());
  if (!isOut && !ins.includes(word.toLowerCase())) throw new Error(`"${word}" is in neither "in" nor "out"`);
  if (!isOut && cents < 0n) throw new Error(`"${word}" means money in, but the amount is negative`);
  return isOut && cents > 0n ? -cents : cents;
}
