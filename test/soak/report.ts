import { count } from '../faults/support/figures.js';
import type { Sample } from './sample.js';
import { megabytes } from './verdict.js';

const COLUMNS = [
  'time',
  'requests',
  'heap',
  'external',
  'resident',
  'descriptors',
  'database',
  'handles',
  'series',
];
const WIDTH = 12;

function line(cells: readonly string[]): string {
  return `${cells.map((cell) => cell.padStart(WIDTH)).join('')}\n`;
}

export function sampleHeader(): string {
  return line(COLUMNS);
}

/** `requests`: how many there were so far. */
export function sampleLine(sample: Sample, requests: number): string {
  const { at, heap, external, resident, descriptors, connections, handles, series } = sample;
  const memory = [heap, external, resident].map(megabytes);
  const counts = [descriptors, connections, handles, series.size].map(count);
  return line([`${at.toFixed(0)} s`, count(requests), ...memory, ...counts]);
}
