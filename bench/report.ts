import type { Comparison, Figures } from './measure.js';
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

export function atLeast(name: string, value: number, target: number): Verdict {
  return { name, value, unit: '', bound: 'at least', target, passed: value >= target };
}

export function atMost(name: string, value: number, target: number, unit = ''): Verdict {
  return { name, value, unit, bound: 'at most', target, passed: value <= target };
}

/** Without those of what cannot be told on this machine. */
export function known(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.filter(({ value }) => !Number.isNaN(value));
}

/** Of the cases that have a target and were measured at its number of connections. A failed request misses it. */
export function ratioVerdicts(comparisons: readonly Comparison[]): Verdict[] {
  return comparisons.flatMap(({ key, connections, ratio, failures }) => {
    const least = LEAST_RATIOS[key];
    if (connections !== TARGET_CONNECTIONS || least === undefined) return [];
    const verdict = atLeast(key, ratio, least);
    return [{ ...verdict, passed: verdict.passed && failures === 0 }];
  });
}

export type Column = readonly [title: string, width: number];

const COLUMNS: readonly Column[] = [
  ['case', -18],
  ['conn', 5],
  ['req/s', 9],
  ['ref', 8],
  ['ratio', 8],
  ['p50 ms', 9],
  ['ref', 8],
  ['p99 ms', 9],
  ['ref', 8],
  ['Node µs', 9],
  ['ref', 8],
  ['PG µs', 9],
  ['ref', 8],
  ['failed', 8],
];

export function comparisonHeader(): string {
  return header(COLUMNS);
}

export function comparisonLine({
  key,
  connections,
  service,
  reference,
  ratio,
  failures,
}: Comparison): string {
  const pair = (pick: (figures: Figures) => number | undefined): string[] => [
    digits(pick(service)),
    digits(pick(reference)),
  ];
  return line(COLUMNS, [
    key,
    String(connections),
    ...pair((figures) => figures.throughput),
    digits(ratio),
    ...pair((figures) => figures.p50),
    ...pair((figures) => figures.p99),
    ...pair((figures) => figures.nodeCpu),
    ...pair((figures) => figures.databaseCpu),
    failures === 0 ? '' : String(failures),
  ]);
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

/** What has changed for the cases that both runs have. */
export function changeLines(before: readonly Comparison[], after: readonly Comparison[]): string {
  const columns: readonly Column[] = [
    ['case', -18],
    ['conn', 5],
    ['ratio', 10],
    ['before', 10],
    ['change', 10],
    ['req/s', 10],
    ['before', 10],
    ['change', 10],
  ];
  const lines = after.flatMap((now) => {
    const then = before.find(({ key, connections }) => key === now.key && connections === now.connections);
    if (then === undefined) return [];
    const [rate, earlier] = [now.service.throughput, then.service.throughput];
    return line(columns, [
      now.key,
      String(now.connections),
      digits(now.ratio),
      digits(then.ratio),
      percent(now.ratio / then.ratio),
      digits(rate),
      digits(earlier),
      percent(rate / earlier),
    ]);
  });
  return [header(columns), ...lines].join('');
}

export function header(columns: readonly Column[]): string {
  return line(
    columns,
    columns.map(([title]) => title),
  );
}

/** Columns of a negative width are aligned to the left. */
export function line(columns: readonly Column[], cells: readonly string[]): string {
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
