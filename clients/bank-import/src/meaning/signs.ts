import { Refusal } from '../faults.js';
import { cellOf } from '../reading/table.js';
import { decimalOf, sumOf } from './amounts.js';
import { printed, type Proofs, type Signed } from './balance.js';
import { type Cells, type Draft, type Drafts, type Part, WORD } from './cells.js';
import type { Rules } from './rules.js';

/** Way of writing → 1n where amounts come in as they are printed, -1n where they are turned. */
type Ways = Map<string, bigint>;

/** The direction of each amount: proven by the balance, or else said by signs or by the rules, or else asked for. */
export function settle(drafts: Drafts, cells: Cells, proofs: Proofs) {
  const said = waysSaid(drafts, cells, proofs);
  const ways = new Map([...said, ...waysLearned(drafts, proofs)]);
  const signed = new Map<Draft, Signed>();
  for (const draft of drafts) {
    const claim = draft.parts.map(({ way, cents }) => (cents === 0n ? 0n : times(cents, ways.get(way))));
    const options = proofs.signs.get(draft) ?? [];
    const proven = options.find((option) => options.length === 1 || String(option) === String(claim));
    const open = draft.parts[claim.indexOf(undefined)] ?? (options.length > 1 ? draft.parts[0] : undefined);
    if (proven !== undefined) signed.set(draft, proven);
    else if (open === undefined) signed.set(draft, claim as Signed);
    else if (draft.passedBy === undefined)
      throw new Refusal(questionOf(draft, open, cells.rules, proofs) ?? unsigned(drafts));
  }
  for (const group of proofs.groups) checkGroup(group, signed);
  const notes = [...assumptions(drafts, proofs, cells.rules), ...contradictions(said, proofs, cells.rules)];
  return { signed, notes };
}

function times(cents: bigint, factor: bigint | undefined): bigint | undefined {
  return factor === undefined ? undefined : factor * cents;
}

/**
 * Whether a column of few words that the rules do not use has several beside amounts without a sign: these may be in and
 * out, and those with a sign refunds.
 */
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
    fee?.way === 'fee' &&
    isMinus(fee) &&
    (times(amount?.cents ?? 0n, ways.get(amount?.way ?? '')) ?? 0n) > 0n;
  if (rules.feeSign === undefined && drafts.some(isTurned)) ways.delete('fee');
  return ways;
}

function isMinus({ cents }: Part): boolean {
  return cents < 0n;
}

function wordsOf(side: string, words: string | readonly string[] = []): string[] {
  return [side, ...[words].flat().map((word) => WORD + word.toLowerCase())];
}

/** What lines with a proof show of the way in which they are written. Unsigned amounts alone show nothing of others. */
function waysLearned(drafts: Drafts, { signs }: Proofs): Ways {
  const isSigned = drafts.some(({ parts: [first] }) => first?.way === 'amount' && first.cents < 0n);
  const shown = new Map<string, Set<bigint>>();
  for (const [{ parts }, options] of signs)
    for (const [index, { way, cents }] of parts.entries()) {
      const factors = new Set(options.map((signed) => (signed[index] === cents ? 1n : -1n)));
      if (cents === 0n || factors.size > 1 || (way === 'amount' && !isSigned)) continue;
      shown.set(way, new Set([...(shown.get(way) ?? []), ...factors]));
    }
  const certain = [...shown].filter(([, factors]) => factors.size === 1);
  return new Map(certain.map(([way, [factor = 1n]]) => [way, factor]));
}

/** Cards write what goes out without a sign, and banks what comes in. */
function assumptions(drafts: Drafts, { signs }: Proofs, { everything }: Rules): string[] {
  const amounts = drafts.flatMap(({ parts }) => parts.filter(({ way, isFee }) => way === 'amount' && !isFee));
  const minus = amounts.filter(({ cents }) => cents < 0n).length;
  if (everything !== undefined || signs.size > 0 || minus === 0 || minus * 2 >= amounts.length) return [];
  return [
    'few amounts have a minus: the others are taken as money in ("everything": "in"), not as what a card has paid ("out")',
  ];
}

/** Lines where the balance says another direction than the rules. Throws where all are: then either may be wrong. */
function contradictions(said: Ways, { signs }: Proofs, { owed }: Rules): string[] {
  const claims = Array.from(signs, ([{ line, parts }, options]) => {
    const claim = times(parts[0]?.cents ?? 0n, said.get(parts[0]?.way ?? '')) ?? 0n;
    return { line, claim, isWrong: claim !== 0n && !options.some(([first]) => first === claim) };
  });
  const wrong = claims.filter(({ isWrong }) => isWrong);
  const [first] = wrong;
  const isAlways = claims.every(({ claim, isWrong }) => claim === 0n || isWrong);
  if (first !== undefined && owed === undefined && isAlways)
    throw new Refusal(
      `line ${first.line}: the balance says ${first.claim < 0n ? 'in' : 'out'}, the rules the contrary, and so for all lines: either ` +
        'the balance is what is owed ("owed": true in the rules), or the rules turn the amounts round ("owed": false trusts ' +
        'the balance)',
    );
  return wrong.map(({ line, claim }) => {
    const [says, rules] = claim < 0n ? ['in', 'out'] : ['out', 'in'];
    return `line ${line}: the balance says ${says}, and the rules ${rules}: the balance counts`;
  });
}

function questionOf(draft: Draft, { way }: Part, { columns }: Rules, { signs }: Proofs): string | undefined {
  const at = `line ${draft.line}: `;
  if (way.startsWith(WORD)) return `${at}"${way.slice(WORD.length)}" is in neither "in" nor "out"`;
  if (way === 'amount' && signs.size === 0) return undefined;
  if (way === 'amount')
    return `${at}nothing proves the sign of ${printed(draft)}; --opening AMOUNT, the balance before the first line, does`;
  const usual = { credit: 'money in', debit: 'money out' }[way] ?? 'a fee';
  return (
    `${at}amounts of "${[columns[way as 'fee']].flat().join('" and "')}" have a minus: "${way}Sign": "-" where that is how the ` +
    `bank writes ${usual}, "+" where they are given back`
  );
}

function unsigned(drafts: Drafts): string {
  const some = drafts.some(({ parts: [first] }) => (first?.cents ?? 0n) < 0n) ? 'most' : 'all';
  return (
    `${some} amounts are unsigned: name the column that says which go out, by columns.direction with its words "in" and ` +
    '"out", or "everything": "in" or "out"'
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
