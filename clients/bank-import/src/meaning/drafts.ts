import { type LineFault, Refusal } from '../faults.js';
import { cellOf, type Column, type Row, type Table } from '../reading/table.js';
import { centsOf, currenciesIn, decimalMarkIn, isEmptyAmount } from './amounts.js';
import { type Draft, isRunning, proofsOf, type Proofs } from './balance.js';
import { Cells } from './cells.js';
import { type Rules, usedColumns } from './rules.js';

export interface DraftedRow extends Draft {
  readonly row: Row;
  readonly currency: string;
  /** The entry of `skip` that passes the line over. */
  readonly skippedBy: number | undefined;
}

export interface Drafts {
  readonly cells: Cells;
  readonly drafts: readonly DraftedRow[];
  readonly faults: readonly LineFault[];
  readonly proofs: Proofs;
}

/** The lines of a table with their amounts as they are printed, and what the balances prove. */
export function draftsOf(table: Table, rules: Rules, hostZone: string, opening: bigint | undefined): Drafts {
  const readable = table.rows.filter(({ fault }) => fault === undefined);
  const texts = amountTexts(table, rules, readable);
  const currencies = currenciesIn(texts);
  if (currencies.length > 1)
    throw new Refusal(`amounts are in ${currencies.join(' and ')}: "skip" in the rules can pass lines over`);
  const cells = new Cells(table, rules, rules.decimal ?? decimalMarkIn(texts), hostZone);
  const faults: LineFault[] = [];
  const read = table.rows.flatMap((row) => {
    try {
      return [draftOf(row, cells)];
    } catch (error) {
      faults.push({ line: row.line, message: (error as Error).message });
      return [];
    }
  });
  const { balance } = rules.columns;
  const given = balance === undefined || balance === false ? undefined : withBalances(read, cells, balance);
  const drafts = given ?? (balance === false || faults.length > 0 ? undefined : foundBalances(read, cells));
  if (drafts === undefined) return { cells, drafts: read, faults, proofs: { signs: new Map(), groups: [] } };
  return { cells, drafts, faults, proofs: proofsOf(drafts, opening) };
}

/** With the balances of a column that the rules do not name, where one adds up. */
function foundBalances(drafts: readonly DraftedRow[], cells: Cells): DraftedRow[] | undefined {
  return unusedColumns(cells.table, cells.rules)
    .map((column) => orElse(() => withBalances(drafts, cells, column), []))
    .find(isRunning);
}

function amountTexts(table: Table, { columns, skip }: Rules, rows: readonly Row[]): string[] {
  const { amount, credit, debit, fee, net, balance } = columns;
  const places = [amount, credit, debit, fee, net, balance === false ? undefined : balance].flat();
  const cells = new Cells(table, { columns, skip } as Rules, '.', '');
  const counted = rows.filter(
    (row) => !skip.some((entry) => entry.zero !== true && cells.has(entry, row, row.cells)),
  );
  return counted.flatMap((row) => places.map((column) => cellOf(table, row, column)));
}

/** A line that is passed over has no faults. */
function draftOf(row: Row, cells: Cells): DraftedRow {
  const { skip, columns } = cells.rules;
  const index = skip.findIndex((entry) => entry.zero !== true && cells.has(entry, row, row.cells));
  const [account = '', currency = ''] = [columns.account, columns.currency].map((column) =>
    cellOf(cells.table, row, column),
  );
  const base = { row, line: row.line, currency, chain: `${account} ${currency}`.trim(), balance: undefined };
  if (index >= 0) {
    const [parts, day] = [orElse(() => cells.written(row), []), orElse(() => cells.day(row), '')];
    return { ...base, parts, day, skippedBy: index, isCounted: false };
  }
  const isAnswered = row.unlessBy !== undefined && row.unlessBy === columns.direction;
  if (row.fault !== undefined && !isAnswered) throw new Error(row.fault);
  const parts = cells.written(row);
  const zero = parts.every(({ cents }) => cents === 0n) ? skip.findIndex((entry) => entry.zero) : undefined;
  if (zero === -1)
    throw new Error('the amount is zero; "skip": [{"zero": true}] in the rules skips such lines');
  const day = cells.day(row);
  return { ...base, parts, day, skippedBy: zero, isCounted: zero === undefined };
}

function orElse<T>(work: () => T, fallback: T): T {
  try {
    return work();
  } catch {
    return fallback;
  }
}

/** What is owed is a balance with the other sign. */
function withBalances(
  drafts: readonly DraftedRow[],
  { table, mark, rules }: Cells,
  column: Column,
): DraftedRow[] {
  return drafts.map((draft) => {
    const text = cellOf(table, draft.row, column);
    const balance = centsOf(text, mark);
    if (balance === undefined && !isEmptyAmount(text) && draft.isCounted)
      throw new Refusal(`line ${draft.line}: "${text}" in "${column}" is not a balance`);
    return balance === undefined ? draft : { ...draft, balance: rules.owed === true ? -balance : balance };
  });
}

function unusedColumns({ names, rows }: Table, rules: Rules): Column[] {
  const used = usedColumns(rules).map((column) =>
    typeof column === 'number' ? column : names.indexOf(column) + 1,
  );
  const count = Math.max(0, ...rows.map(({ cells }) => cells.length));
  return Array.from({ length: count }, (_, index) => index + 1).filter(
    (position) => !used.includes(position),
  );
}
