import { decimalOf } from '../meaning/amounts.js';
import type { Line, Statement } from '../meaning/statement.js';

/** What became of a line. */
export interface Outcome {
  readonly line: Line;
  /** `new`, or `there` already; empty when the service was not asked. */
  readonly state: 'new' | 'there' | '';
}

/** The lines, one for each transaction, and what there is to reconcile with. */
export function reportOf(statement: Statement, outcomes: readonly Outcome[], ending: string): string {
  const { read, lines, passed, notes, closings } = statement;
  const [ins, outs] = [lines.filter(({ total }) => total > 0n), lines.filter(({ total }) => total < 0n)];
  const sum = (of: readonly Line[]): string => readable(of.reduce((total, line) => total + line.total, 0n));
  const unmatched = lines.filter(({ isMatched }) => !isMatched);
  return [
    ...outcomes.flatMap(({ line, state }) => tableOf(line, state)),
    '',
    `${read} lines read: ${ins.length} in, ${outs.length} out${others(lines)}, ${passed.length} passed over`,
    ...countsOf(passed).map(([by, numbers]) => `  passed over by ${by}: ${named(numbers)}`),
    ...(unmatched.length > 0 ? [`  by no rule: ${named(unmatched.map(({ line }) => line))}`] : []),
    ...notes.map((note) => `  ${note}`),
    ...(statement.question === undefined ? [] : [`to be answered before a run: ${statement.question}`]),
    `in ${sum(ins)}, out ${sum(outs)}, together ${sum(lines)}`,
    ...closings.map((closing) => `closing balance ${closing}`),
    ending,
    '',
  ].join('\n');
}

function others(lines: readonly Line[]): string {
  const count = lines.filter(({ total }) => total === 0n).length;
  return count === 0 ? '' : `, ${count} whose parts come to nothing`;
}

function tableOf(line: Line, state: string): string[] {
  return line.planned(line.reference).map(({ type, category, cents }) => {
    const amount = (type === 'INCOME' ? '' : '-') + readable(cents);
    const cells = [
      `line ${line.line}`.padEnd(8),
      state.padEnd(5),
      line.day,
      amount.padStart(12),
      category.padEnd(20),
    ];
    return [...cells, line.property ?? '(no property)', line.text].join('  ');
  });
}

function countsOf(passed: Statement['passed']): [string, number[]][] {
  const counts = new Map<string, number[]>();
  for (const { line, by } of passed) {
    const lines = counts.get(by) ?? [];
    lines.push(line);
    counts.set(by, lines);
  }
  return [...counts];
}

/** `5 lines (2, 5 to 8)`. */
export function named(lines: readonly number[]): string {
  const runs: [from: number, to: number][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.[1] === line - 1) last[1] = line;
    else runs.push([line, line]);
  }
  const told = runs.map(([from, to]) =>
    from === to ? `${from}` : `${from}${to === from + 1 ? ', ' : ' to '}${to}`,
  );
  return `${lines.length} line${lines.length === 1 ? '' : 's'} (${told.join(', ')})`;
}

/** `-1,234.50`. */
function readable(cents: bigint): string {
  return decimalOf(cents).replace(/\B(?=(\d{3})+\.)/g, ',');
}
