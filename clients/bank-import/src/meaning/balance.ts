import { Refusal } from '../faults.js';
import { cellOf, type Column } from '../reading/table.js';
import { centsOf, decimalOf, isEmptyAmount, magnitude, sumOf } from './amounts.js';
import { type Cells, type Draft, type Drafts, orElse, type Part } from './cells.js';

/** The cents of the parts of a line with their signs: what comes in is above zero. */
export type Signed = readonly bigint[];

type Balances = ReadonlyMap<Draft, bigint>;

/** What running balances prove. */
export class Proofs {
  /** All signs with which a line leads from the balance before it to its own. */
  readonly signs = new Map<Draft, readonly Signed[]>();
  /** Lines of which only the sum is proven. */
  readonly groups: { name: string; drafts: Drafts; change: bigint }[] = [];
  /** What is wrong with the lines that lead elsewhere. */
  readonly misses: string[] = [];
  readonly closings: string[] = [];
}

/** By the balances that the rules name, or those that most lines lead through. Throws a Refusal where they do not add up. */
export function proofsOf(drafts: Drafts, cells: Cells, opening: bigint | undefined): Proofs {
  const { balance } = cells.rules.columns;
  const proofsBy = (column: Column): Proofs => proofsIn(drafts, balancesIn(drafts, cells, column), opening);
  const found =
    balance === undefined ? cells.unused.map((column) => orElse(() => proofsBy(column), new Proofs())) : [];
  const proofs = balance === undefined || balance === false ? found.find(isRunning) : proofsBy(balance);
  if (opening !== undefined && proofs === undefined) throw new Refusal('--opening needs columns.balance', 2);
  const [miss] = proofs?.misses ?? [];
  if (miss !== undefined) throw new Refusal(miss);
  return proofs ?? new Proofs();
}

/** What is owed is a balance with the other sign. */
function balancesIn(drafts: Drafts, { table, mark, rules }: Cells, column: Column): Balances {
  const balances = new Map<Draft, bigint>();
  for (const draft of drafts) {
    const text = cellOf(table, draft.row, column);
    const cents = centsOf(text, mark);
    if (cents !== undefined) balances.set(draft, rules.owed === true ? -cents : cents);
    else if (!isEmptyAmount(text) && draft.passedBy === undefined)
      throw new Refusal(`line ${draft.line}: "${text}" in "${column}" is not a balance`);
  }
  return balances;
}

/** Whether most lines lead from the balance before to their own, with at least two different amounts. */
function isRunning({ signs, misses }: Proofs): boolean {
  const amounts = new Set(Array.from(signs.values(), ([signed = []]) => magnitude(sumOf(signed))));
  return amounts.size > 1 && signs.size > misses.length;
}

/** Each account and currency has a balance of its own. Where a single day adds up both ways, nothing is proven. */
function proofsIn(drafts: Drafts, balances: Balances, opening: bigint | undefined): Proofs {
  const all = new Proofs();
  const chainOf = ({ account, currency }: Draft): string => `${account}\n${currency}`;
  const chains = [...new Set(drafts.filter(({ passedBy }) => passedBy === undefined).map(chainOf))];
  for (const name of chains) {
    const orders = ordersOf(drafts.filter((draft) => chainOf(draft) === name));
    const tries = orders.map((order) => proofsInOrder(order, balances, opening));
    const [best = all, ...others] = tries.toSorted((one, other) => one.misses.length - other.misses.length);
    if (others.some(({ misses }) => misses.length === 0)) continue;
    for (const [draft, options] of best.signs) all.signs.set(draft, options);
    all.groups.push(...best.groups);
    all.misses.push(...best.misses);
    all.closings.push(...best.closings);
  }
  return all;
}

/** Oldest first: by the days, or the file's order and its reverse where all lines are of one day. */
function ordersOf(chain: Drafts): Drafts[] {
  const days = chain.map(({ day }) => day).filter(Boolean);
  const [first = '', last = ''] = [days[0], days.at(-1)];
  if (first < last || chain.length === 1) return [chain];
  return first > last ? [chain.toReversed()] : [chain, chain.toReversed()];
}

function proofsInOrder(chain: Drafts, balances: Balances, opening: bigint | undefined): Proofs {
  const proofs = new Proofs();
  let before = opening;
  let since: Draft[] = [];
  for (const draft of chain) {
    since.push(draft);
    const balance = balances.get(draft);
    if (balance === undefined) continue;
    if (before !== undefined) prove(proofs, since, before, balance);
    proofs.closings[0] = `${decimalOf(balance)} ${draft.currency}`.trim() + ` on ${draft.day}`;
    [before, since] = [balance, []];
  }
  return proofs;
}

/** What the lines between two balances show. One that is passed over may be in the balance, or not yet. */
function prove(proofs: Proofs, drafts: Drafts, before: bigint, after: bigint): void {
  const change = after - before;
  const [draft, ...more] = drafts;
  const lines = drafts.map(({ line }) => line);
  const name = `lines ${Math.min(...lines)} to ${Math.max(...lines)}`;
  if (draft === undefined || more.length > 0) return void proofs.groups.push({ name, drafts, change });
  const options = optionsFor(draft.parts, change);
  const isCounted = draft.passedBy === undefined;
  if (isCounted && options.length > 0) proofs.signs.set(draft, options);
  if (options.length === 0 && (isCounted || (change !== 0n && draft.parts.length > 0)))
    proofs.misses.push(
      `line ${draft.line} does not add up: the balance goes from ${decimalOf(before)} to ${decimalOf(after)}, by ` +
        `${decimalOf(change)}, but the line has ${printed(draft.parts)} ("balance": false among the columns ignores it)`,
    );
}

export function printed(parts: readonly Part[]): string {
  return parts.map(({ cents }) => decimalOf(cents)).join(' and ');
}

/** The signs with which the parts come to the change. */
function optionsFor(parts: readonly Part[], change: bigint): Signed[] {
  const ways = [...new Set(parts.filter(({ cents }) => cents !== 0n).map(({ way }) => way))];
  const signedBy = (turned: number): Signed =>
    parts.map(({ way, cents }) => ((turned >> Math.max(0, ways.indexOf(way))) & 1 ? -cents : cents));
  const all = Array.from({ length: 2 ** ways.length }, (_, turned) => signedBy(turned));
  return all.filter((signed) => sumOf(signed) === change);
}
