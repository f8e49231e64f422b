import { onEach, Refusal } from '../faults.js';
import { camtTable } from '../reading/camt.js';
import { csvTable } from '../reading/csv.js';
import { ofxTable } from '../reading/ofx.js';
import type { AccountStatement, Table } from '../reading/table.js';
import { centsOf, sumOf } from './amounts.js';
import { type Proofs, proofsOf, type Signed } from './balance.js';
import { Cells, type Draft, type Drafts } from './cells.js';
import { startOfDay } from './days.js';
import { hasId, type Identity, referenceOf } from './identity.js';
import { complete, type Rules, type RulesFile, usedColumns } from './rules.js';
import { settle } from './signs.js';
import { type Planned, planOf } from './transactions.js';

/** A line of the file with what it means. */
export interface Line extends Identity {
  readonly line: number;
  /** The instant at which the day begins. */
  readonly date: string;
  /** Equal ones before it in the file. */
  readonly before: number;
  readonly reference: string;
  readonly vendor: string;
  readonly bookingReference: string;
  readonly property: string | undefined;
  readonly isMatched: boolean;
  readonly planned: readonly Planned[];
  readonly passedBy: string | undefined;
}

export interface Statement {
  readonly rules: Rules;
  readonly read: number;
  readonly lines: readonly Line[];
  readonly passed: readonly { readonly line: number; readonly by: string }[];
  readonly closings: readonly string[];
  /** Account → its first and last day in the file. */
  readonly spans: Readonly<Record<string, readonly [first: string, last: string]>>;
}

/** What a file means by its rules. Throws a Refusal where it cannot be trusted. */
export function statementOf(text: string, given: RulesFile, hostZone: string, opening?: bigint): Statement {
  const standard = ofxTable(text) ?? camtTable(text);
  const rules = complete(given, standard?.format);
  const table = standard ?? csvTable(text, usedColumns(rules));
  checkTable(table, rules);
  const cells = new Cells(table, rules, hostZone);
  const drafts = cells.drafts();
  const proofs = proofsOf(drafts, cells, opening);
  for (const statement of table.statements ?? []) addStated(proofs, statement, drafts);
  const signed = settle(drafts, cells, proofs);
  const counted = drafts.filter(({ passedBy }) => passedBy === undefined);
  const seen = new Map<string, readonly Line[]>();
  const lines = onEach(counted, (draft) => lineOf(draft, cells, signed.get(draft) ?? [], seen));
  return {
    ...{ rules, read: table.rows.length, closings: proofs.closings, spans: spansOf(drafts) },
    lines: lines.filter(({ passedBy }) => passedBy === undefined),
    passed: [...drafts, ...lines].flatMap(({ line, passedBy: by }) => (by ? [{ line, by }] : [])),
  };
}

function checkTable({ names, statements = [] }: Table, rules: Rules): void {
  const lacking = usedColumns(rules).filter((name) => typeof name === 'string' && !names.includes(name));
  if (lacking.length > 0)
    throw new Refusal(`the file has no ${lacking.join(', ')}; it has ${names.join(', ')}`);
  const accounts = new Set(statements.map(({ account }) => account));
  if (accounts.size > 1 && rules.columns.account === undefined)
    throw new Refusal(`the file has the accounts ${[...accounts].join(', ')}: name columns.account`);
}

/** The lines of a statement lead from its opening balance to its closing one. */
function addStated({ groups, closings }: Proofs, stated: AccountStatement, drafts: Drafts): void {
  const { account, rows, opening, closing, currency, day } = stated;
  if (closing !== undefined) closings.push(`${closing} ${currency} on ${day}`);
  const [first, last] = [opening, closing].map((text) => centsOf(text ?? ''));
  if (first === undefined || last === undefined) return;
  const own = new Set(rows);
  const name = `the entries of ${account}, from ${opening ?? ''} to ${closing ?? ''},`;
  groups.push({ name, drafts: drafts.filter(({ row }) => own.has(row)), change: last - first });
}

/** `seen` has the lines before it by the reference of the first among equals. */
function lineOf(draft: Draft, cells: Cells, signed: Signed, seen: Map<string, readonly Line[]>): Line {
  const { row, line, day, account } = draft;
  const { columns, property, rules } = cells.rules;
  const text = cells.text(row, columns.description);
  const id = columns.reference === false ? '' : cells.text(row, columns.reference);
  const identity = { account, id, day, total: sumOf(signed), text };
  const equals = seen.get(referenceOf(identity, 0)) ?? [];
  const before = hasId(identity) ? 0 : equals.length;
  const [index, planned] = planOf(draft, signed, cells, text);
  const rule = rules[index];
  let passedBy = planned.length === 0 ? 'a fee that takes all of it' : undefined;
  if (rule?.transfer) passedBy = `rule ${index + 1} ${JSON.stringify(rule)}`;
  else if (hasId(identity) && equals[0]) passedBy ??= repeats(equals[0], identity);
  const made = {
    ...{ ...identity, line, before, reference: referenceOf(identity, before), planned, passedBy },
    ...{ date: startOfDay(day, cells.hostZone), vendor: cells.text(row, columns.vendor) },
    bookingReference: cells.text(row, columns.bookingReference),
    ...{ property: rule?.property ?? property, isMatched: rule !== undefined },
  };
  seen.set(referenceOf(identity, 0), [...equals, made]);
  return made;
}

/** The same line twice in a file. Throws where two lines have one id. */
function repeats({ line, ...first }: Line, { id, day, total, text }: Identity): string {
  if (first.day === day && first.total === total && first.text === text)
    return `the same line before, line ${line}`;
  throw new Error(
    `repeats the id "${id}" of line ${line}, which differs: columns.reference must be a column whose values differ on ` +
      'every line, or false',
  );
}

function spansOf(drafts: Drafts): Statement['spans'] {
  const spans: Record<string, readonly [first: string, last: string]> = {};
  const dated = drafts.filter(({ day }) => day !== '');
  for (const { account, day } of dated.toSorted((one, other) => (one.day < other.day ? -1 : 1)))
    spans[account] = [spans[account]?.[0] ?? day, day];
  return spans;
}
