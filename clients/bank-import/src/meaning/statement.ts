import { type LineFault, Refusal } from '../faults.js';
import { csvTable } from '../reading/csv.js';
import { standardTable } from '../reading/read-table.js';
import { cellOf, type Table } from '../reading/table.js';
import { centsOf, decimalOf } from './amounts.js';
import { chainsOf, type Draft, type Factors, ordersOf, totalOf } from './balance.js';
import type { Cells } from './cells.js';
import { startOfDay } from './days.js';
import { type DraftedRow, type Drafts, draftsOf } from './drafts.js';
import { unusedIn, refuseSuspect } from './directions.js';
import { hasId, type Identity, referenceOf } from './identity.js';
import { complete, type Rules, type RulesFile, usedColumns } from './rules.js';
import { settle } from './signs.js';
import { type Moved, type Planned, ruleFor, transactionsOf } from './transactions.js';

/** A line of the file with what it means. */
export interface Line extends Identity {
  readonly line: number;
  /** The instant at which the day begins. */
  readonly date: string;
  readonly balance: bigint | undefined;
  /** Equal ones before it in the file. */
  readonly before: number;
  readonly reference: string;
  readonly vendor: string;
  readonly bookingReference: string;
  readonly property: string | undefined;
  readonly isMatched: boolean;
  readonly planned: (reference: string) => readonly Planned[];
}

export interface Statement {
  readonly rules: Rules;
  readonly read: number;
  readonly lines: readonly Line[];
  /** By what they are passed over. */
  readonly passed: readonly { readonly line: number; readonly by: string }[];
  readonly faults: readonly LineFault[];
  readonly notes: readonly string[];
  readonly closings: readonly string[];
  /** What has to be answered before anything is recorded; a dry run only tells it. */
  readonly question: string | undefined;
  /** Account → its first and last day in the file. */
  readonly spans: Readonly<Record<string, readonly [first: string, last: string]>>;
}

export interface Options {
  readonly hostZone: string;
  readonly opening: bigint | undefined;
}

/** What a file means by its rules. Throws a Refusal where the whole file cannot be trusted. */
export function statementOf(file: string, text: string, given: RulesFile, options: Options): Statement {
  const standard = standardTable(text);
  const rules = complete(file, given, standard?.format);
  const table = standard ?? csvTable(text, usedColumns(rules), rules.separator);
  const lacking = usedColumns(rules).filter(
    (column) => typeof column === 'string' && !table.names.includes(column),
  );
  if (lacking.length > 0)
    throw new Refusal(`the file has no ${lacking.join(', ')}; it has ${table.names.join(', ')}`);
  if (table.accounts !== undefined && rules.columns.account === undefined)
    throw new Refusal(
      `the file has the accounts ${table.accounts.join(', ')}: "columns": {"account": …} names their column`,
    );
  const drafted = draftsOf(table, rules, options.hostZone, options.opening);
  const { cells, drafts, proofs } = drafted;
  const settled = settle(drafts, rules, proofs, unusedIn(cells, drafts));
  if (proofs.signs.size === 0) refuseSuspect(cells, drafts);
  checkCurrencies(cells, drafts);
  const lines = linesOf(drafted, settled.factors);
  const closings = [...closingsOf(drafted), ...statedClosings(table, cells, drafts, settled.factors)];
  return {
    rules,
    read: table.rows.length,
    ...lines,
    notes: settled.notes,
    question: settled.question,
    closings,
    spans: spansOf(cells, drafts),
  };
}

function checkCurrencies({ rules }: Cells, drafts: readonly DraftedRow[]): void {
  const chains = new Set(drafts.filter(({ isCounted }) => isCounted).map(({ currency }) => currency));
  if (rules.currency !== undefined || chains.size < 2) return;
  throw new Refusal(
    `the file has ${[...chains].join(' and ')}: "currency" in the rules says which, "skip" passes the other over`,
  );
}

function linesOf({ cells, drafts, faults: read }: Drafts, factors: ReadonlyMap<Draft, Factors>) {
  const [faults, passed, lines] = [[...read], [] as { line: number; by: string }[], [] as Line[]];
  const equal = new Map<string, number>();
  const withIds = new Map<string, Line>();
  for (const draft of drafts) {
    const { line, skippedBy } = draft;
    if (skippedBy !== undefined)
      passed.push({ line, by: `skip ${JSON.stringify(cells.rules.skip[skippedBy])}` });
    else
      try {
        const made = lineOf(draft, cells, factors.get(draft) ?? [], equal);
        const first = withIds.get(made.reference);
        if (typeof made.by === 'string') passed.push({ line, by: made.by });
        else if (made.planned('').length === 0) passed.push({ line, by: 'a fee that takes all of it' });
        else if (first !== undefined) passed.push({ line, by: repeats(first, made) });
        else lines.push(made);
        if (hasId(made)) withIds.set(made.reference, first ?? made);
      } catch (error) {
        faults.push({ line, message: (error as Error).message });
      }
  }
  return { lines, passed, faults: faults.toSorted((one, other) => one.line - other.line) };
}

/** The same line twice in a file. Throws where two lines have one id. */
function repeats(first: Line, { id, day, total, text }: Line): string {
  if (first.day === day && first.total === total && first.text === text)
    return `the same line before, line ${first.line}`;
  throw new Error(
    `has the id "${id}" of line ${first.line}, which is another: columns.reference must be a column of which each line has ` +
      'its own, or false',
  );
}

function lineOf(
  draft: DraftedRow,
  cells: Cells,
  factors: Factors,
  equal: Map<string, number>,
): Line & { by?: string } {
  const { row, line, day, currency, balance } = draft;
  const { rules, table } = cells;
  const { columns } = rules;
  if (rules.currency !== undefined && columns.currency !== undefined && currency !== rules.currency)
    throw new Error(
      `is in "${currency}", but the rules expect ${rules.currency}; "skip" in the rules can pass over it`,
    );
  const moved = movedBy(draft, factors, rules);
  const text = cells.text(row, columns.description);
  const id = columns.reference === false ? '' : cellOf(table, row, columns.reference);
  const identity = { account: accountOf(cells, draft), id, day, total: totalOf(draft.parts, factors), text };
  const before = equal.get(referenceOf(identity, 0)) ?? 0;
  if (!hasId(identity)) equal.set(referenceOf(identity, 0), before + 1);
  const reference = referenceOf(identity, before);
  const [rule, index = 0] = ruleFor(draft, cells, moved, text) ?? [];
  const isTransfer = rule?.transfer === true;
  return {
    ...{ ...identity, line, balance, before, reference, date: startOfDay(day, cells.hostZone) },
    ...{
      vendor: cells.text(row, columns.vendor),
      bookingReference: cells.text(row, columns.bookingReference),
    },
    ...{ property: rule?.property ?? rules.property, isMatched: rule !== undefined },
    planned: suffixed(isTransfer ? [] : transactionsOf(draft, cells, moved, rule, reference), reference),
    ...(isTransfer ? { by: `rule ${index + 1} ${JSON.stringify(rule)}` } : {}),
  };
}

/** Made once, so that faults of a split are those of the line. */
function suffixed(planned: readonly Planned[], own: string): Line['planned'] {
  return (reference) =>
    planned.map((one) => ({ ...one, reference: reference + one.reference.slice(own.length) }));
}

function movedBy({ parts }: DraftedRow, factors: Factors, { feeCategory }: Rules): Moved {
  const total = totalOf(parts, factors);
  const rest = totalOf(
    parts.map((part) => (part.isFee ? { ...part, cents: 0n } : part)),
    factors,
  );
  return feeCategory === undefined ? { amount: total, fee: 0n } : { amount: rest, fee: rest - total };
}

function accountOf({ table, rules }: Cells, { row }: DraftedRow): string {
  return [rules.account, cellOf(table, row, rules.columns.account)].filter(Boolean).join(' ');
}

function spansOf(cells: Cells, drafts: readonly DraftedRow[]): Statement['spans'] {
  const spans = new Map<string, [string, string]>();
  for (const draft of drafts) {
    const account = accountOf(cells, draft);
    const [first, last] = spans.get(account) ?? [draft.day, draft.day];
    if (draft.day === '') continue;
    spans.set(account, [first < draft.day ? first : draft.day, last > draft.day ? last : draft.day]);
  }
  return Object.fromEntries(spans);
}

/** The last balance of each account and currency. */
function closingsOf({ drafts }: Drafts): string[] {
  return chainsOf(drafts).flatMap((chain) => {
    const last = ordersOf(chain)[0]?.findLast(({ balance }) => balance !== undefined);
    return last?.balance === undefined
      ? []
      : [`${decimalOf(last.balance)} ${last.chain}`.trim() + ` on ${last.day}`];
  });
}

/** Throws where the lines do not lead from the opening balance of a statement to its closing one. */
function statedClosings(
  table: Table,
  { rules }: Cells,
  drafts: readonly DraftedRow[],
  factors: ReadonlyMap<Draft, Factors>,
): string[] {
  const pending = rules.skip.length - ((table.format?.['skip'] as unknown[] | undefined) ?? []).length;
  return (table.balances ?? []).map(({ account, currency, opening, closing = '', day = '' }) => {
    const own = drafts.filter(
      ({ row, skippedBy }) =>
        row.cells.includes(account) && (skippedBy ?? Infinity) >= rules.skip.length - pending,
    );
    const sum = own.reduce((total, draft) => total + totalOf(draft.parts, factors.get(draft) ?? []), 0n);
    const [first, last] = [opening, closing].map((text) => (text === undefined ? undefined : centsOf(text)));
    if (first !== undefined && last !== undefined && first + sum !== last)
      throw new Refusal(
        `the entries of ${account} come to ${decimalOf(sum)}, but its balances go from ${opening ?? ''} to ${closing}: the file is not whole`,
      );
    return `${closing} ${currency} on ${day}`;
  });
}
