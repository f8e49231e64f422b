import { Refusal } from '../faults.js';
import { decimalOf, magnitude } from './amounts.js';

/** An amount as it is printed. Amounts of one way of writing are turned alike: of a column, or beside one word. */
export interface Written {
  readonly way: string;
  readonly cents: bigint;
  readonly isFee?: boolean;
}

/** A line of the file before its signs are known. */
export interface Draft {
  readonly line: number;
  /** Empty where it cannot be read, of a line that is passed over. */
  readonly day: string;
  /** Account and currency: each has a balance of its own. */
  readonly chain: string;
  readonly parts: readonly Written[];
  readonly balance: bigint | undefined;
  readonly isCounted: boolean;
}

/** 1n for each part that comes in as printed, -1n for one that is turned. */
export type Factors = readonly bigint[];

/** Lines between two balances: only their sum is proven. */
export interface Group {
  readonly drafts: readonly Draft[];
  readonly change: bigint;
}

export interface Proofs {
  /** The signs with which a line leads from the balance before it to its own. */
  readonly signs: ReadonlyMap<Draft, readonly Factors[]>;
  readonly groups: readonly Group[];
}

/** What the running balances prove. Throws a Refusal at the line where they do not add up. */
export function proofsOf(drafts: readonly Draft[], opening: bigint | undefined): Proofs {
  const signs = new Map<Draft, readonly Factors[]>();
  const groups: Group[] = [];
  const chains = chainsOf(drafts);
  if (opening !== undefined && chains.length > 1)
    throw new Refusal('--opening is for a file of one account and one currency', 2);
  for (const chain of chains) {
    const proven = ordersOf(chain).map((order) => tried(() => proofsInOrder(order, opening)));
    const [best, other] = proven.filter((proofs): proofs is Proofs => !(proofs instanceof Refusal));
    if (best === undefined) throw proven[0] as Refusal;
    if (other !== undefined && !areSame(best, other)) continue; // one day, and both orders add up: nothing is proven
    for (const [draft, options] of best.signs) signs.set(draft, options);
    groups.push(...best.groups);
  }
  return { signs, groups };
}

/** The lines of each account and currency. */
export function chainsOf<T extends Draft>(drafts: readonly T[]): T[][] {
  const chains = new Map<string, T[]>();
  for (const draft of drafts) {
    const chain = chains.get(draft.chain);
    if (chain === undefined) chains.set(draft.chain, [draft]);
    else chain.push(draft);
  }
  return [...chains.values()];
}

function tried<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function areSame(one: Proofs, other: Proofs): boolean {
  return Array.from(one.signs).every(
    ([draft, options]) => String(other.signs.get(draft)) === String(options),
  );
}

/** The file's own order, oldest first: by the days, or both where all lines are of one day. */
export function ordersOf(chain: readonly Draft[]): (readonly Draft[])[] {
  const days = chain.map(({ day }) => day).filter(Boolean);
  const [first = '', last = ''] = [days[0], days.at(-1)];
  if (first < last) return [chain];
  return first > last ? [chain.toReversed()] : [chain, chain.toReversed()];
}

function proofsInOrder(chain: readonly Draft[], opening: bigint | undefined): Proofs {
  const signs = new Map<Draft, readonly Factors[]>();
  const groups: Group[] = [];
  let before = opening;
  let since: Draft[] = [];
  for (const draft of chain) {
    since.push(draft);
    if (draft.balance === undefined) continue;
    const change = before === undefined ? undefined : draft.balance - before;
    if (change !== undefined && since.length > 1) groups.push({ drafts: since, change });
    else if (change !== undefined && draft.isCounted)
      signs.set(draft, signsFor(draft, draft.balance, change));
    before = draft.balance;
    since = [];
  }
  return { signs, groups };
}

/** The signs with which the parts come to the change. */
function optionsFor(parts: readonly Written[], change: bigint): Factors[] {
  const ways = [...new Set(parts.filter(({ cents }) => cents !== 0n).map(({ way }) => way))];
  const turned = (way: string, bits: number): bigint =>
    (bits >> Math.max(0, ways.indexOf(way))) & 1 ? -1n : 1n;
  const all = Array.from({ length: 2 ** ways.length }, (_, bits) =>
    parts.map(({ way }) => turned(way, bits)),
  );
  return all.filter((factors) => totalOf(parts, factors) === change);
}

function signsFor({ line, parts }: Draft, balance: bigint, change: bigint): Factors[] {
  const found = optionsFor(parts, change);
  if (found.length > 0) return found;
  const printed = parts.map(({ cents }) => decimalOf(cents)).join(' and ');
  throw new Refusal(
    `line ${line} does not add up: the balance goes from ${decimalOf(balance - change)} to ${decimalOf(balance)}, by ` +
      `${decimalOf(change)}, but the line has ${printed}. A line is missing, or this is no running balance ("balance": ` +
      'false among the columns)',
  );
}

/** Whether most lines lead from the balance before to their own, with at least two different amounts. */
export function isRunning(drafts: readonly Draft[]): boolean {
  const [fits, misses] = [[] as bigint[], [] as bigint[]];
  for (const chain of chainsOf(drafts)) {
    const [best] = ordersOf(chain)
      .map(linksIn)
      .toSorted((one, other) => other[0].length - one[0].length);
    fits.push(...(best?.[0] ?? []));
    misses.push(...(best?.[1] ?? []));
  }
  return new Set(fits).size > 1 && fits.length > misses.length;
}

/** The changes from balance to balance that the line explains, and the others. */
function linksIn(order: readonly Draft[]): [fits: bigint[], misses: bigint[]] {
  const links: [fits: bigint[], misses: bigint[]] = [[], []];
  for (const [index, { balance, parts, isCounted }] of order.entries()) {
    const before = order[index - 1]?.balance;
    if (balance === undefined || before === undefined || !isCounted) continue;
    links[optionsFor(parts, balance - before).length > 0 ? 0 : 1].push(magnitude(balance - before));
  }
  return links;
}

export function totalOf(parts: readonly Written[], factors: Factors): bigint {
  return parts.reduce((sum, { cents }, index) => sum + cents * (factors[index] ?? 1n), 0n);
}
