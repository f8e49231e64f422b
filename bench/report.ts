import type { Comparison } from './measure.js';
import { LEAST_RATIOS, TARGET_CONNECTIONS } from './targets.js';

/** A figure against its target. */
export interface Verdict {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bound: 'at least' | 'at most';
  readonly target: number;
  readonly passed: boolean;
}

export function atMost(name: string, value: number, target: number, unit = ''): Verdict {
  return { name, value, unit, bound: 'at most', target, passed: value <= target };
}

/** Of the cases that have a target and were measured at its number of connections. A failed request misses it. */
export function ratioVerdicts(comparisons: readonly Comparison[]): Verdict[] {
  return comparisons.flatMap(({ key, connections, ratio, failures }) => {
    const least = LEAST_RATIOS[key];
    if (connections !== TARGET_CONNECTIONS || least === undefined) return [];
    const passed = ratio >= least && failures === 0;
    return [{ name: key, value: ratio, unit: '', bound: 'at least', target: least, passed }];
  });
}

type Column = readonly [title: string, width: number, ...unknown[]];
type ColumnOf<T> = readonly [title: string, width: number, cell: (row: T) => string];

const COLUMNS: readonly ColumnOf<Comparison>[] = [
  ['case', -18, ({ key }) => key],
  ['conn', 5, ({ connections }) => String(connections)],
  ['req/s', 9, ({ service }) => digits(service.throughput)],
  ['ref', 8, ({ reference }) => digits(reference.throughput)],
  ['ratio', 8, ({ ratio }) => digits(ratio)],
  ['p50 ms', 9, ({ service }) => digits(service.p50)],
  ['ref', 8, ({ reference }) => digits(reference.p50)],
  ['p99 ms', 9, ({ service }) => digits(service.p99)],
  ['ref', 8, ({ reference }) => digits(reference.p99)],
  ['Node µs', 9, ({ service }) => digits(service.nodeCpu)],
  ['ref', 8, ({ reference }) => digits(reference.nodeCpu)],
  ['PG µs', 9, ({ service }) => digits(service.databaseCpu)],
  ['ref', 8, ({ reference }) => digits(reference.databaseCpu)],
  ['failed', 8, ({ failures }) => (failures === 0 ? '' : String(failures))],
];

export function comparisonHeader(): string {
  return header(COLUMNS);
}

export function comparisonLine(comparison: Comparison): string {
  return lineOf(COLUMNS, comparison);
}

export function verdictLines(verdicts: readonly Verdict[]): string {
  const columns: readonly Column[] = [
    ['', -56],
    ['', 10],
    ['', 18],
    ['', 6],
  ];
  const lines = verdicts.map(({ name, value, unit, bound, target, passed }) =>
    line(columns, [name, digits(value) + unit, `${bound} ${target}${unit}`, passed ? 'PASS' : 'MISS']),
  );
  const missed = verdicts.filter((verdict) => !verdict.passed).length;
  return `${lines.join('')}${verdicts.length - missed} of ${verdicts.length} targets met\n`;
}

/** Of a case that two runs have. */
interface Change {
  readonly now: Comparison;
  readonly then: Comparison;
}

const CHANGES: readonly ColumnOf<Change>[] = [
  ['case', -18, ({ now }) => now.key],
  ['conn', 5, ({ now }) => String(now.connections)],
  ['ratio', 10, ({ now }) => digits(now.ratio)],
  ['before', 10, ({ then }) => digits(then.ratio)],
  ['change', 10, ({ now, then }) => percent(now.ratio / then.ratio)],
  ['req/s', 10, ({ now }) => digits(now.service.throughput)],
  ['before', 10, ({ then }) => digits(then.service.throughput)],
  ['change', 10, ({ now, then }) => percent(now.service.throughput / then.service.throughput)],
];

/** What has changed for the cases that both runs have. */
export function changeLines(before: readonly Comparison[], after: readonly Comparison[]): string {
  const lines = after.flatMap((now) => {
    const then = before.find(({ key, connections }) => key === now.key && connections === now.connections);
    return then === undefined ? [] : lineOf(CHANGES, { now, then });
  });
  return [header(CHANGES), ...lines].join('');
}

function lineOf<T>(columns: readonly ColumnOf<T>[], row: T): string {
  return line(
    columns,
    columns.map(([, , cell]) => cell(row)),
  );
}

function header(columns: readonly Column[]): string {
  return line(
    columns,
    columns.map(([title]) => title),
  );
}

/** Columns of a negative width are aligned to the left. */
function line(columns: readonly Column[], cells: readonly string[]): string {
  const padded = columns.map(([, width], index) =>
    width < 0 ? (cells[index] ?? '').padEnd(-width) : (cells[index] ?? '').padStart(width),
  );
  return `${padded.join('').trimEnd()}\n`;
}

/** Three significant digits, or all of a large number; a dash for what is not known. */
export function digits(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function percent(factor: number): string {
  const change = (factor - 1) * 100;
  return `${change >= 0 ? '+' : ''}${change.toFixed(1)} %`;
}
