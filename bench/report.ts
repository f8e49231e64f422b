import type { Comparison } from './measure.js';

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

/** Columns of a negative width are aligned to the left. */
const COLUMNS: readonly (readonly [title: string, width: number, cell: (row: Comparison) => string])[] = [
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
  ['log kB', 8, ({ service }) => digits(service.log)],
  ['ref', 7, ({ reference }) => digits(reference.log)],
  ['used', 6, ({ service }) => percent(service.share)],
  ['ref', 5, ({ reference }) => percent(reference.share)],
  ['failed', 8, ({ failures }) => (failures === 0 ? '' : String(failures))],
];

export function comparisonHeader(): string {
  return line(COLUMNS.map(([title, width]) => [title, width]));
}

export function comparisonLine(comparison: Comparison): string {
  return line(COLUMNS.map(([, width, cell]) => [cell(comparison), width]));
}

export function verdictLines(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ name, value, unit, bound, target, passed }) =>
    line([
      [name, -56],
      [digits(value) + unit, 10],
      [`${bound} ${target}${unit}`, 18],
      [passed ? 'PASS' : 'MISS', 6],
    ]),
  );
  const met = verdicts.filter(({ passed }) => passed).length;
  return `${lines.join('')}${met} of ${verdicts.length} targets met\n`;
}

function line(cells: readonly (readonly [text: string, width: number])[]): string {
  const padded = cells.map(([text, width]) => (width < 0 ? text.padEnd(-width) : text.padStart(width)));
  return `${padded.join('').trimEnd()}\n`;
}

const percent = (share: number): string => (Number.isFinite(share) ? `${Math.round(share * 100)}%` : '–');

/** Three significant digits, or all of a large number; a dash for what is not known. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
