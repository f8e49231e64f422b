import { onEach, Refusal } from '../faults.js';
import { cellOf, type Column, type Row, type Table } from '../reading/table.js';
import { centsOf, currenciesIn, type DecimalMark, decimalMarkIn, isEmptyAmount, sumOf } from './amounts.js';
import { dayOf } from './days.js';
import { type Condition, type Rules, usedColumns } from './rules.js';

/** An amount as it is printed. Amounts of one way of writing are turned alike: of a column, or beside one word. */
export interface Part {
  readonly way: string;
  readonly cents: bigint;
  readonly isFee?: boolean;
}

/** A line of the file before its signs are known. */
export interface Draft {
  readonly row: Row;
  readonly line: number;
  /** Empty where it cannot be read, of a line that is passed over. */
  readonly day: string;
  readonly account: string;
  readonly currency: string;
  /** The first is the amount. */
  readonly parts: readonly Part[];
  readonly passedBy: string | undefined;
}

export type Drafts = readonly Draft[];

/** Before the words of a column for directions. */
export const WORD = 'word:';

/** What the rules make of the cells of a row. */
export class Cells {
  readonly mark: DecimalMark;
  /** The positions of the columns that the rules do not use. */
  readonly unused: readonly number[];

  constructor(
    readonly table: Table,
    readonly rules: Rules,
    readonly hostZone: string,
  ) {
    const { amount, credit, debit, fee, net, balance } = rules.columns;
    const places = [amount, credit, debit, fee, net, balance === false ? undefined : balance].flat();
    const texts = table.rows
      .filter((row) => !rules.skip.some((entry) => !entry.zero && this.fits(entry, row, row.cells)))
      .flatMap((row) => (row.fault === undefined ? places.map((column) => cellOf(table, row, column)) : []));
    const currencies = currenciesIn(texts);
    if (currencies.length > 1)
      throw new Refusal(`amounts are in ${currencies.join(' and ')}; "skip" can pass lines over`);
    this.mark = rules.decimal ?? decimalMarkIn(texts);
    const used = usedColumns(rules);
    const all = [...new Set(table.rows.flatMap(({ cells }) => cells.map((_, index) => index + 1)))];
    this.unused = all.filter(
      (place) => !used.includes(place) && !used.includes(table.names[place - 1] ?? place),
    );
  }

  /** The lines before their signs are known. Throws a Refusal for those that cannot be read, but are not passed over. */
  drafts(): Drafts {
    const { columns, skip } = this.rules;
    let expected = columns.currency === undefined ? '' : this.rules.currency;
    return onEach(this.table.rows, (row): Draft => {
      const isNone = (): boolean => orElse(() => isNothing(this.#parts(row)), false);
      const skipping = skip.find((entry) => (entry.zero ? isNone() : this.fits(entry, row, row.cells)));
      const passedBy = skipping && `skip ${JSON.stringify(skipping)}`;
      const account = [this.rules.account, this.text(row, columns.account)].filter(Boolean).join(' ');
      const base = { row, line: row.line, account, currency: this.text(row, columns.currency), passedBy };
      if (passedBy !== undefined)
        return { ...base, parts: orElse(() => this.#parts(row), []), day: orElse(() => this.#day(row), '') };
      if (row.fault !== undefined && (row.unlessBy ?? '') !== columns.direction) throw new Error(row.fault);
      const parts = this.#parts(row);
      if (isNothing(parts))
        throw new Error('has no amount, or it is zero; "skip": [{"zero": true}] passes such lines over');
      expected ??= base.currency;
      if (base.currency === expected) return { ...base, parts, day: this.#day(row) };
      throw new Error(`is in "${base.currency}" instead of ${expected}; "skip" can pass it over`);
    });
  }

  /** Whether the texts of the line are as the condition says: in its column, or else in any of the places. */
  fits({ contains = '', equals, column }: Condition, row: Row, places: readonly string[]): boolean {
    const own = column === undefined ? places : [cellOf(this.table, row, column)];
    const texts = own.map((text) => text.toLowerCase());
    const isEqual = equals === undefined || texts.includes(equals.toLowerCase());
    return isEqual && texts.some((text) => text.includes(contains.toLowerCase()));
  }

  /** The texts of several columns, joined. */
  text(row: Row, columns: Column | readonly Column[] = []): string {
    const texts = [columns].flat().map((column) => cellOf(this.table, row, column));
    return texts.filter(Boolean).join(', ');
  }

  /** Nothing for an empty cell. */
  cents(row: Row, column: Column | undefined): bigint | undefined {
    const text = cellOf(this.table, row, column);
    if (isEmptyAmount(text)) return undefined;
    const cents = centsOf(text, this.mark);
    if (cents === undefined) throw new Error(`"${text}" is not an amount in whole cents`);
    return cents;
  }

  /** The amounts of the line, and its fee, as they are printed. */
  #parts(row: Row): Part[] {
    const { fee, net } = this.rules.columns;
    const amounts = this.#amounts(row);
    const [{ way, cents } = { way: '', cents: 0n }] = amounts;
    const fees = [fee ?? []].flat().map((column) => this.cents(row, column) ?? 0n);
    if (fee !== undefined) return [...amounts, { way: 'fee', cents: sumOf(fees), isFee: true }];
    if (net === undefined) return amounts;
    const rest = this.cents(row, net);
    if (rest === undefined && cents !== 0n) throw new Error(`has no "${net}"`);
    return [...amounts, { way, cents: (rest ?? 0n) - cents, isFee: true }];
  }

  /** Of several columns for the amount the first that is not empty. */
  #amounts(row: Row): Part[] {
    const { amount, credit, debit, direction } = this.rules.columns;
    const way = direction === undefined ? 'amount' : WORD + this.text(row, direction).toLowerCase();
    const single = [amount ?? []].flat().map((column) => this.cents(row, column));
    const cents = single.find((found) => found !== undefined);
    const sides = { [way]: cents, credit: this.cents(row, credit), debit: this.cents(row, debit) };
    const all = Object.entries(sides).map(([name, side = 0n]) => ({ way: name, cents: side }));
    const filled = all.filter((part) => part.cents !== 0n);
    if (filled.length < 2) return filled.length === 0 ? all.slice(0, 1) : filled;
    const { bothFilled: counting } = this.rules;
    if (counting !== undefined) return filled.filter((part) => counting === 'net' || counting === part.way);
    throw new Error(`has both "${credit ?? ''}" and "${debit ?? ''}"; "bothFilled" says which counts`);
  }

  #day(row: Row): string {
    const { date, time, timeZone } = this.rules.columns;
    const text = [date, time].map((column) => cellOf(this.table, row, column)).filter(Boolean);
    const zone = cellOf(this.table, row, timeZone) || (this.rules.timeZone ?? '');
    return dayOf(text.join(' '), this.rules.dateFormat, zone, this.hostZone);
  }
}

function isNothing(parts: readonly Part[]): boolean {
  return parts.every(({ cents }) => cents === 0n);
}

/** What the work returns, or the fallback where it throws. */
export function orElse<T>(work: () => T, fallback: T): T {
  try {
    return work();
  } catch {
    return fallback;
  }
}
