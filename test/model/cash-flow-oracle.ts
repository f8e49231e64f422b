import { LosslessNumber } from 'lossless-json';
import { decimalOf } from '../support/books-oracle.js';
import { inOrder } from '../support/ordering.js';
import type { Request } from './commands.js';
import type { JsonObject } from './difference.js';
import { invalid, NOT_FOUND, type Outcome, type Prediction } from './outcomes.js';
import { ask, pick } from './reports-oracle.js';
import { whole } from './unknowns.js';
import type { Caller, ModelTransaction, World } from './world.js';

const STARTS = ['2026-01-01', '2026-01-31', '2024-02-29', '2989-12-15', '9997-12-31', '9998-01-01', 'today'];
const LENGTHS = ['1', '2', '12', '24', undefined, '3', '1', '2', '12', '24', undefined, '0', '25'];
const MOST_OCCURRENCES = 2000;
const DAY_MS = 86_400_000;
const MONTHS: Readonly<Record<string, number>> = { MONTHLY: 1, QUARTERLY: 3, SEMI_ANNUALLY: 6, ANNUALLY: 12 };
const DAYS: Readonly<Record<string, number>> = { DAILY: 1, WEEKLY: 7, BI_WEEKLY: 14 };

/** Days are those of UTC, because some of the rows are at the ends of the calendar. */
export function cashFlow(world: World, caller: Caller, command: Request<'cashFlow'>): Prediction {
  const [starts, lengths] = command.picks;
  const [from, months] = [pick(STARTS, starts), pick(LENGTHS, lengths)];
  const { call, rows, propertyId, ...others } = ask(world, caller, command, { from, months });
  const faults = [
    ...others.faults,
    ...(from === 'today' ? ['from'] : []),
    ...(months === '0' || months === '25' ? ['months'] : []),
  ];
  if (faults.length > 0) return { call, outcomes: [invalid(faults)] };
  if (from === '9998-01-01') return { call, outcomes: [invalid(['from'])] };
  if (rows === undefined) return { call, outcomes: [NOT_FOUND] };
  const last = monthsLater(from, Number(months ?? 12)) - 1;
  const open = rows.filter(({ row }) => row.paid_at === null && isOpen(row.status));
  const isOverdue = ({ row }: ModelTransaction): boolean =>
    row.status === 'OVERDUE' || (row.due_date !== null && Date.parse(row.due_date) < Date.now());
  const isDue = ({ row }: ModelTransaction): boolean => row.due_date === null || dayOf(row.due_date) <= last;
  const upcoming = occurrencesOf(world, rows, dayNumber(from), last);
  if (upcoming.length > MOST_OCCURRENCES) return { call, outcomes: [invalid(['months'])] };
  const outcome: Outcome = {
    status: 200,
    body: {
      timeZone: 'UTC',
      from,
      to: dayText(last),
      months: new LosslessNumber(months ?? '12'),
      propertyId,
      overdue: owed(open.filter(isOverdue), () => ''),
      due: owed(
        open.filter((row) => !isOverdue(row) && isDue(row)),
        ({ row }) => String(row.due_date && dayOf(row.due_date)),
      ),
      upcoming: { ...sumsOf(upcoming.map(({ of }) => of)), occurrences: upcoming.map(({ shown }) => shown) },
    },
  };
  return { call, outcomes: [outcome] };
}

function isOpen(status: string): boolean {
  return ['PENDING', 'OVERDUE', 'DISPUTED'].includes(status);
}

function sumsOf(rows: readonly ModelTransaction[]): JsonObject {
  const sum = (type: string): LosslessNumber => {
    const cents = rows
      .filter(({ row }) => row.type === type)
      .reduce((all, { row }) => all + BigInt(row.cents), 0n);
    return new LosslessNumber(decimalOf(cents));
  };
  return { payable: sum('EXPENSE'), receivable: sum('INCOME') };
}

function grouped(
  rows: readonly ModelTransaction[],
  keyOf: (row: ModelTransaction) => string,
): ModelTransaction[][] {
  const groups = new Map<string, ModelTransaction[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups.values()];
}

function owed(rows: readonly ModelTransaction[], dayKey: (row: ModelTransaction) => string): JsonObject {
  const groups = grouped(rows, (row) => JSON.stringify([dayKey(row), row.row.vendor])).map((group, id) => ({
    id,
    group,
    vendor: group[0]!.row.vendor,
    dueOn: group.flatMap(({ row }) => row.due_date?.slice(0, 10) ?? []).sort()[0] ?? null,
  }));
  const ordered = inOrder(groups, [
    [({ dueOn }) => dueOn, 'asc'],
    [({ vendor }) => vendor, 'asc'],
  ]);
  const vendors = ordered.map(({ group, vendor, dueOn }) => ({
    dueOn,
    vendor,
    ...sumsOf(group),
    transactions: whole(group.length),
  }));
  return { ...sumsOf(rows), vendors };
}

interface Coming {
  readonly id: number;
  readonly day: number;
  readonly of: ModelTransaction;
  readonly shown: JsonObject;
}

function occurrencesOf(world: World, rows: readonly ModelTransaction[], from: number, to: number): Coming[] {
  const recurring = rows.filter(({ row }) => row.recurring && (row.frequency ?? 'ONE_TIME') !== 'ONE_TIME');
  const alike = ({ propertyId, row }: ModelTransaction): string =>
    JSON.stringify([propertyId, row.type, row.category, row.vendor, row.description, row.frequency]);
  const coming = grouped(recurring, alike).flatMap((series) => {
    const ordered = inOrder(
      series.map((of) => ({ id: of.id, of })),
      [[({ of }) => of.row.date, 'asc']],
    );
    const [first, latest] = [ordered[0]!.of, ordered.at(-1)!.of];
    if (latest.row.status === 'CANCELLED') return [];
    const begin = Math.max(from, dayOf(latest.row.date) + 1);
    return daysOf(first.row.date.slice(0, 10), latest.row.frequency!, begin, to).map((day): Coming => {
      const { id, propertyId, body } = latest;
      const { type, category, frequency, description, vendor, amount } = body;
      const propertyName = world.properties.get(propertyId)!.body['name'];
      const ids = { transactionId: whole(id), propertyId: whole(propertyId) };
      const fields = { propertyName, type, category, frequency, description, vendor, amount };
      return { id, day, of: latest, shown: { date: dayText(day), ...ids, ...fields } };
    });
  });
  return inOrder(coming, [[({ day }) => day, 'asc']]);
}

/** Counted from the first: all that lie between two days. */
export function daysOf(anchor: string, frequency: string, begin: number, to: number): number[] {
  const [days, months] = [DAYS[frequency], MONTHS[frequency]];
  const about = (begin - dayNumber(anchor)) / (days ?? months! * 31);
  const found: number[] = [];
  for (let count = Math.max(1, Math.floor(about) - 2); ; count++) {
    const day = days === undefined ? monthsLater(anchor, count * months!) : dayNumber(anchor) + count * days;
    if (day > to) return found;
    if (day >= begin) found.push(day);
  }
}

/** The same day so many months later, or the last one of that month where it has no such day. */
export function monthsLater(day: string, months: number): number {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const inMonth = (later: number, dayOfMonth: number): number =>
    new Date(0).setUTCFullYear(year, month - 1 + later, dayOfMonth) / DAY_MS;
  return Math.min(inMonth(months, date), inMonth(months + 1, 0));
}

/** Days since 1970. */
export function dayNumber(day: string): number {
  return Date.parse(day) / DAY_MS;
}

function dayOf(instant: string): number {
  return Math.floor(Date.parse(instant) / DAY_MS);
}

export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
