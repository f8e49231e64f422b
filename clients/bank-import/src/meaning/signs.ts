import { Refusal } from '../faults.js';
import { decimalOf } from './amounts.js';
import { type Draft, type Factors, type Proofs, totalOf, type Written } from './balance.js';
import type { Rules } from './rules.js';

/** Before the words of a column for directions. */
export const WORD = 'word:';

export interface Settled {
  readonly factors: ReadonlyMap<Draft, Factors>;
  /** Lines where the balance says another direction than the rules. */
  readonly notes: readonly string[];
  /** What has to be answered before anything is recorded. */
  readonly question?: string;
}

/** What the columns are that the rules do not use. */
export interface Unused {
  /** Names those that may say which amounts go out. */
  readonly hint: string;
  readonly isEmpty: boolean;
}

type Ways = ReadonlyMap<string, bigint>;

/**
 * The direction of each amount: proven by the balance, or else said by signs or by the rules, or else asked for. No word
 * and no name of a column is known here.
 */
export function settle(drafts: readonly Draft[], rules: Rules, proofs: Proofs, unused: Unused): Settled {
  const said = waysSaid(drafts, rules, unused);
  const notes = contradictions(said, proofs, rules);
  const learned = waysLearned(drafts, proofs);
  const factors = new Map<Draft, Factors>();
  let question: string | undefined;
  for (const draft of drafts) {
    const claim = draft.parts.map(({ way, cents }) =>
      cents === 0n ? 1n : (learned.get(way) ?? said.get(way)),
    );
    const options = proofs.signs.get(draft) ?? [];
    const proven =
      options.length === 1 ? options[0] : options.find((option) => String(option) === String(claim));
    const unknown =
      draft.parts[claim.indexOf(undefined)] ?? (options.length > 1 ? draft.parts[0] : undefined);
    if (proven !== undefined) factors.set(draft, proven);
    else if (unknown === undefined) factors.set(draft, claim as Factors);
    else if (draft.isCounted) {
      question = questionFor(draft, unknown, rules, proofs, unused.hint);
      if (unknown.way !== 'amount' || proofs.signs.size > 0 || !unused.isEmpty) throw new Refusal(question);
      factors.set(draft, []); // a dry run shows it as money in
    }
  }
  checkGroups(proofs, factors);
  return { factors, notes, ...(question === undefined ? {} : { question }) };
}

/** What signs and rules say of each way of writing amounts. */
function waysSaid(drafts: readonly Draft[], rules: Rules, { hint }: Unused): Ways {
  const ways = new Map<string, bigint>();
  const written = drafts.flatMap(({ parts }) => parts);
  const single = written.filter(({ way, isFee }) => way === 'amount' && isFee !== true);
  const stated = rules.everything ?? (rules.negate === undefined ? undefined : rules.negate ? 'out' : 'in');
  if (stated !== undefined || single.some(({ cents }) => cents < 0n))
    ways.set('amount', stated === 'out' ? -1n : 1n);
  // A fee makes smaller what comes in, and larger what goes out.
  const fees = written.filter(({ way, isFee, cents }) => way === 'amount' && isFee === true && cents !== 0n);
  if (hint === '' && fees.length > 0 && fees.every(({ cents }) => cents < 0n))
    ways.set('amount', ways.get('amount') ?? 1n);
  const sides = {
    credit: ['credit', ...wordsOf(rules.in)],
    debit: ['debit', ...wordsOf(rules.out)],
    fee: ['fee'],
  };
  for (const [side, names] of Object.entries(sides)) {
    const ofSide = written.filter(
      ({ way, isFee }) => names.includes(way) && (way === 'fee') === (isFee ?? false),
    );
    const usual = rules[`${side as keyof typeof sides}Sign`] ?? usualSign(ofSide);
    const factor = (usual === '-') === (side === 'credit') ? -1n : 1n;
    if (usual !== undefined) for (const name of names) ways.set(name, factor);
  }
  const isTurned = ({ parts: [amount, fee] }: Draft): boolean =>
    amount !== undefined &&
    fee?.way === 'fee' &&
    fee.cents < 0n &&
    amount.cents * (ways.get(amount.way) ?? 0n) > 0n;
  if (rules.feeSign === undefined && drafts.some(isTurned)) ways.delete('fee');
  return ways;
}

function wordsOf(words: string | readonly string[] = []): string[] {
  return [words].flat().map((word) => WORD + word.toLowerCase());
}

/** Where few have a minus, it means the other way. Where most have one, it may mean nothing: that is asked. */
function usualSign(written: readonly Written[]): '+' | undefined {
  const minus = written.filter(({ cents }) => cents < 0n).length;
  return minus > written.filter(({ cents }) => cents > 0n).length ? undefined : '+';
}

/** What lines with a proof show of the way in which they are written. Unsigned amounts alone show nothing of others. */
function waysLearned(drafts: readonly Draft[], { signs }: Proofs): Ways {
  const isSigned = drafts.some(({ parts }) =>
    parts.some(({ way, cents, isFee }) => way === 'amount' && cents < 0n && isFee !== true),
  );
  const shown = new Map<string, Set<bigint>>();
  for (const [{ parts }, options] of signs)
    for (const [index, { way, cents }] of parts.entries()) {
      const [factor, ...others] = new Set(options.map((factors) => factors[index] ?? 1n));
      if (cents === 0n || others.length > 0 || factor === undefined || (way === 'amount' && !isSigned))
        continue;
      shown.set(way, (shown.get(way) ?? new Set()).add(factor));
    }
  return new Map(
    [...shown].flatMap(([way, [factor, ...others]]) =>
      factor === undefined || others.length > 0 ? [] : [[way, factor]],
    ),
  );
}

/** Throws where all lines go the other way than the balance says: then either may be wrong. */
function contradictions(said: Ways, { signs }: Proofs, { owed }: Rules): string[] {
  const told: string[] = [];
  let agreeing = 0;
  for (const [{ line, parts }, options] of signs) {
    const [{ way, cents } = { way: '', cents: 0n }] = parts;
    const claim = said.get(way);
    if (cents === 0n || claim === undefined) continue;
    if (options.some(([factor]) => factor === claim)) agreeing += 1;
    else
      told.push(
        `line ${line}: the balance says ${cents * claim < 0n ? 'in' : 'out'}, and the rules ${cents * claim < 0n ? 'out' : 'in'}: the balance counts`,
      );
  }
  if (told.length === 0 || agreeing > 0 || owed !== undefined) return told;
  throw new Refusal(
    `${told[0]?.split(', and')[0] ?? ''}, the rules the contrary, and so for all lines: either the balance is what is owed ("owed": true ` +
      'in the rules), or the rules turn the amounts round ("owed": false trusts the balance)',
  );
}

function questionFor(
  { line, parts }: Draft,
  { way }: Written,
  rules: Rules,
  { signs }: Proofs,
  hint: string,
): string {
  if (way.startsWith(WORD))
    return `line ${line}: "${way.slice(WORD.length)}" is in neither "in" nor "out"${hint}`;
  if (way !== 'amount') {
    const column = [rules.columns[way as 'fee']].flat().join('" and "');
    return (
      `line ${line}: amounts of "${column}" have a minus: "${way}Sign": "-" where that is how the bank writes ` +
      `${way === 'credit' ? 'money in' : way === 'fee' ? 'a fee' : 'money out'}, "+" where they are given back`
    );
  }
  if (signs.size > 0) {
    const printed = parts.map(({ cents }) => decimalOf(cents)).join(' and ');
    return `line ${line}: nothing proves the sign of ${printed}; --opening AMOUNT, the balance before the first line, does`;
  }
  return `all amounts are unsigned: name the column that says which go out, by columns.direction with its words "in" and "out", or "everything": "in" or "out"${hint}`;
}

/** Lines that are passed over may be in a balance, or not yet. */
function checkGroups({ groups }: Proofs, factors: ReadonlyMap<Draft, Factors>): void {
  for (const { drafts, change } of groups) {
    const sum = (of: readonly Draft[]): bigint =>
      of.reduce((total, draft) => total + totalOf(draft.parts, factors.get(draft) ?? []), 0n);
    const counted = sum(drafts.filter(({ isCounted }) => isCounted));
    if (counted === change || sum(drafts) === change) continue;
    const lines = drafts.map(({ line }) => line);
    throw new Refusal(
      `lines ${Math.min(...lines)} to ${Math.max(...lines)} do not add up: they come to ${decimalOf(counted)}, and the balance changes by ${decimalOf(change)}`,
    );
  }
}
