import { cellOf, type Column, type Row, type Table } from '../reading/table.js';
import { centsOf, type DecimalMark, isEmptyAmount } from './amounts.js';
import type { Written } from './balance.js';
import { dayOf } from './days.js';
import type { Condition, Rules } from './rules.js';
import { WORD } from './signs.js';

/** What the rules make of the cells of a line. Its methods throw an Error that says what is wrong with the line. */
export class Cells {
  constructor(
    readonly table: Table,
    readonly rules: Rules,
    readonly mark: DecimalMark,
    readonly hostZone: string,
  ) {}

  /** The texts of several columns, joined. */
  text(row: Row, columns: Column | readonly Column[] | undefined): string {
    return [columns ?? []]
      .flat()
      .map((column) => cellOf(this.table, row, column))
      .filter(Boolean)
      .join(', ');
  }

  /** Undefined for an empty cell. Words for the direction may stand beside the amount itself. */
  cents(row: Row, column: Column): bigint | undefined {
    const cell = cellOf(this.table, row, column);
    const text = column === this.rules.columns.direction ? cell.replaceAll(/\p{L}/gu, '').trim() : cell;
    if (isEmptyAmount(text)) return undefined;
    const cents = centsOf(text, this.mark);
    if (cents === undefined) throw new Error(`"${text}" is not an amount in whole cents`);
    return cents;
  }

  /** The amounts of the line, and its fee, as they are printed. */
  written(row: Row): Written[] {
    const { credit, debit, fee, net } = this.rules.columns;
    const amounts =
      credit === undefined || debit === undefined ? [this.#amount(row)] : this.#sides(row, credit, debit);
    const [{ way, cents } = { way: '', cents: 0n }] = amounts;
    if (fee !== undefined) {
      const fees = [fee].flat().map((column) => this.cents(row, column) ?? 0n);
      return [...amounts, { way: 'fee', cents: fees.reduce((sum, part) => sum + part), isFee: true }];
    }
    if (net === undefined) return amounts;
    const rest = this.cents(row, net);
    if (rest === undefined && cents !== 0n) throw new Error(`has no "${net}"`);
    return [...amounts, { way, cents: (rest ?? 0n) - cents, isFee: true }];
  }

  /** The first of the columns that is not empty; 0 where the rules skip lines without money. */
  #amount(row: Row): Written {
    const { amount = [], direction } = this.rules.columns;
    const found = [amount]
      .flat()
      .map((column) => this.cents(row, column))
      .find((cents) => cents !== undefined);
    if (found === undefined && !this.rules.skip.some(({ zero }) => zero)) throw new Error('has no amount');
    const cell = this.text(row, direction).toLowerCase();
    const word = [amount].flat().some((column) => column === direction)
      ? cell.replaceAll(/\P{L}/gu, '')
      : cell;
    return { way: direction === undefined ? 'amount' : WORD + word, cents: found ?? 0n };
  }

  #sides(row: Row, credit: Column, debit: Column): Written[] {
    const [ins, outs] = [credit, debit].map((column) => this.cents(row, column) ?? 0n) as [bigint, bigint];
    const { bothFilled } = this.rules;
    if (ins !== 0n && outs !== 0n && bothFilled === undefined)
      throw new Error(
        `has both "${credit}" and "${debit}"; "bothFilled" in the rules says which counts: net, credit or debit`,
      );
    const counts = {
      credit: outs === 0n || bothFilled !== 'debit',
      debit: ins === 0n || bothFilled !== 'credit',
    };
    const sides = [
      ...(counts.credit && ins !== 0n ? [{ way: 'credit', cents: ins }] : []),
      ...(counts.debit && outs !== 0n ? [{ way: 'debit', cents: outs }] : []),
    ];
    return sides.length === 0 ? [{ way: 'credit', cents: 0n }] : sides;
  }

  day(row: Row): string {
    const { date, time, timeZone } = this.rules.columns;
    const text = [date, time]
      .map((column) => cellOf(this.table, row, column))
      .filter(Boolean)
      .join(' ');
    const zone = cellOf(this.table, row, timeZone) || (this.rules.timeZone ?? '');
    return dayOf(text, this.rules.dateFormat, zone, this.hostZone);
  }

  /** Whether the texts of the line are as the condition says: in its column, or else in any of the places. */
  has({ contains, equals, column }: Condition, row: Row, places: readonly string[]): boolean {
    const texts = (column === undefined ? places : [cellOf(this.table, row, column)]).map((text) =>
      text.toLowerCase(),
    );
    if (contains !== undefined && !texts.some((text) => text.includes(contains.toLowerCase()))) return false;
    return equals === undefined || texts.includes(equals.toLowerCase());
  }
}
