import { Refusal } from '../faults.js';
import { cellOf } from '../reading/table.js';
import { decimalOf, sumOf } from './amounts.js';
import { printed, type Proofs, type Signed } from './balance.js';
import { type Cells, type Draft, type Drafts, type Part, WORD } from './cells.js';
import type { Rules } from './rules.js';

/** Way of writing → 1n where amounts come in as they are printed, -1n where they are turned. */
type Ways = Map<string, bigint>;

/** The direction of each amount: proven by the balance, or else said by signs or by the rules, or else asked for. */
export function settle(drafts: Drafts, cells: Cells, proofs: Proofs): ReadonlyMap<Draft, Signed> {
  const ways = waysSaid(drafts, cells, proofs);
  const signed = new Map<Draft, Signed>();
  for (const draft of drafts) {
    const claim = draft.parts.map(({ way, cents }) => (cents === 0n ? 0n : times(cents, ways.get(way))));
    const options = proofs.signs.get(draft) ?? [];
    const proven = options.find((option) => options.length === 1 || String(option) === String(claim));
    const open = draft.parts[claim.indexOf(undefined)] ?? (options.length > 1 ? draft.parts[0] : undefined);
    if (proven !== undefined) signed.set(draft, proven);
    else if (open === undefined) signed.set(draft, claim as Signed);
    else if (draft.passedBy === undefined)
      throw new Refusal(questionOf(drafts, draft, open, cells.rules, proofs.signs.size));
  }
  for (const group of proofs.groups) checkGroup(group, signed);
  checkRules(ways, proofs, cells.rules);
  return signed;
}

function times(cents: bigint, factor: bigint | undefined): bigint | undefined {
  return factor === undefined ? undefined : factor * cents;
}

/** Whether an unused column of few words has several beside unsigned amounts: these may be in and out, the others refunds. */
function hasWordsBeside(drafts: Drafts, { unused, table }: Cells): boolean {
  const counted = drafts.filter(({ passedBy }) => passedBy === undefined);
  return unused.some((place) => {
    const texts = counted.map(({ row }) => cellOf(table, row, place));
    const most = Math.max(3, Math.min(8, texts.length / 2));
    if (new Set(texts).size > most || texts.some((text) => /\d|.{21}/.test(text))) return false;
    return new Set(texts.filter((_, index) => (counted[index]?.parts[0]?.cents ?? 0n) > 0n)).size > 1;
  });
}

/** What signs and rules say of each way of writing amounts. */
function waysSaid(drafts: Drafts, cells: Cells, { signs }: Proofs): Ways {
  const { rules } = cells;
  const ways: Ways = new Map();
  const parts = drafts.flatMap((draft) => draft.parts).filter(({ cents }) => cents !== 0n);
  const [fees, single] = [true, false].map((isFee) =>
    parts.filter((part) => part.way === 'amount' && (part.isFee ?? false) === isFee),
  ) as [Part[], Part[]];
  const minus = single.filter(isMinus).length;
  const isSuspect = signs.size === 0 && minus * 2 < single.length && hasWordsBeside(drafts, cells);
  // A fee makes smaller what comes in, and larger what goes out.
  const isTold = minus > 0 || (fees.length > 0 && fees.every(isMinus));
  if (rules.everything !== undefined || (isTold && !isSuspect))
    ways.set('amount', rules.everything === 'out' ? -1n : 1n);
  const sides = { credit: wordsOf('credit', rules.in), debit: wordsOf('debit', rules.out), fee: ['fee'] };
  for (const [side, names] of Object.entries(sides)) {
    const ofSide = parts.filter(({ way, isFee }) => names.includes(way) && (way === 'fee' || isFee !== true));
    // Where few have a minus, it means the other way. Where most have one, it may mean nothing: that is asked.
    const usual = ofSide.filter(isMinus).length * 2 > ofSide.length ? undefined : '+';
    const sign = rules[`${side as keyof typeof sides}Sign`] ?? usual;
    const factor = (sign === '-') === (side === 'credit') ? -1n : 1n;
    if (sign !== undefined) for (const name of names) ways.set(name, factor);
  }
  const isTurned = ({ parts: [amount, fee] }: Draft): boolean =>
    fee?.way === 'fee' && isMinus(fee) && (amount?.cents ?? 0n) * (ways.get(amount?.way ?? '') ?? 0n) > 0n;
  if (rules.feeSign === undefined && drafts.some(isTurned)) ways.delete('fee');
  return ways;
}

function isMinus({ cents }: Part): boolean {
  return cents < 0n;
}

function wordsOf(side: string, words: string | readonly string[] = []): string[] {
  return [side, ...[words].flat().map((word) => WORD + word.toLowerCase())];
}

/** Refuses rules that say the contrary of the balance for all lines: then either may be wrong. */
function checkRules(ways: Ways, { signs }: Proofs, { owed }: Rules): void {
  const claims = Array.from(signs, ([{ line, parts }, options]) => {
    const claim = times(parts[0]?.cents ?? 0n, ways.get(parts[0]?.way ?? '')) ?? 0n;
    return { line, claim, isRight: options.some(([first]) => first === claim) };
  }).filter(({ claim }) => claim !== 0n);
  const [first] = claims;
  if (first === undefined || owed !== undefined || claims.some(({ isRight }) => isRight)) return;
  throw new Refusal(
    `line ${first.line}: the balance says ${first.claim < 0n ? 'in' : 'out'}, the rules the contrary, and so for all lines: ` +
      'either the balance is what is owed ("owed": true in the rules, or false where it is not), or the rules are wrong',
  );
}

function questionOf(all: Drafts, { line, parts }: Draft, { way }: Part, { columns }: Rules, proven: number) {
  const at = `line ${line}: `;
  if (way.startsWith(WORD)) return `${at}"${way.slice(WORD.length)}" is in neither "in" nor "out"`;
  if (way !== 'amount') {
    const names = [columns[way as 'fee']].flat().join('" and "');
    return `${at}amounts of "${names}" have a minus: "${way}Sign": "-" where that is usual, "+" where they are given back`;
  }
  if (proven > 0)
    return `${at}nothing proves the sign of ${printed(parts)}; --opening AMOUNT, the balance before the first line, does`;
  return (
    `${all.some((draft) => draft.parts.some(isMinus)) ? 'most' : 'all'} amounts are unsigned: name the column that says ` +
    'which go out, by columns.direction with its words "in" and "out", or "everything": "in" or "out"'
  );
}

/** Lines that are passed over may be in a balance, or not yet. */
function checkGroup({ name, drafts, change }: Proofs['groups'][0], signed: ReadonlyMap<Draft, Signed>): void {
  const sum = (of: Drafts): bigint =>
    sumOf(of.flatMap((draft) => signed.get(draft) ?? draft.parts.map(({ cents }) => cents)));
  const counted = sum(drafts.filter(({ passedBy }) => passedBy === undefined));
  if (counted === change || sum(drafts) === change) return;
  throw new Refusal(
    `${name} do not add up: they come to ${decimalOf(counted)}, and the balance changes by ${decimalOf(change)}`,
  );
}
