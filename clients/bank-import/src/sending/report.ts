import { decimalOf, sumOf } from '../meaning/amounts.js';
import type { Line, Statement } from '../meaning/statement.js';

/** What became of a line; nothing when the service was not asked. */
type Told = Line & { readonly state?: string };

/** The lines, one for each transaction, and what there is to reconcile with. */
export function reportOf(statement: Statement & { readonly lines: readonly Told[] }, ending: string): string {
  const { read, lines, passed, closings } = statement;
  const [ins, outs] = [lines.filter(({ total }) => total >= 0n), lines.filter(({ total }) => total < 0n)];
  const sum = (of: readonly Line[]): string => readable(sumOf(of.map(({ total }) => total)));
  const unmatched = lines.filter(({ isMatched }) => !isMatched);
  const reasons = [...new Set(passed.map(({ by }) => by))];
  const passedBy = (reason: string) => passed.filter(({ by }) => by === reason);
  return [
    ...lines.flatMap(rowsOf),
    '',
    `${read} ${read === 1 ? 'line' : 'lines'} read: ${ins.length} in, ${outs.length} out, ${passed.length} passed over`,
    ...reasons.flatMap((reason) => numbered(`  passed over by ${reason}:`, passedBy(reason))),
    ...numbered('  by no rule:', unmatched),
    `in ${sum(ins)}, out ${sum(outs)}, together ${sum(lines)}`,
    ...closings.map((closing) => `closing balance ${closing}`),
    `${ending}\n`,
  ].join('\n');
}

function rowsOf({ line, day, property, text, planned, state = '' }: Told): string[] {
  return planned.map(({ type, category, cents }) => {
    const amount = readable(type === 'INCOME' ? cents : -cents).padStart(12);
    const cells = [`line ${line}`.padEnd(8), state.padEnd(5), day, amount, category.padEnd(20)];
    return [...cells, property ?? '(no property)', text].join('  ');
  });
}

/** The text with the lines' count and numbers, such as `5 lines (2, 5 to 8)`; nothing where there are none. */
export function numbered(text: string, lines: readonly { readonly line: number }[]): string[] {
  const runs: [from: number, to: number][] = [];
  for (const { line } of lines) {
    const last = runs.at(-1);
    if (last?.[1] === line - 1) last[1] = line;
    else runs.push([line, line]);
  }
  if (runs.length === 0) return [];
  const told = runs.map(([from, to]) =>
    from === to ? from : `${from}${to === from + 1 ? ', ' : ' to '}${to}`,
  );
  return [`${text} ${lines.length} line${lines.length === 1 ? '' : 's'} (${told.join(', ')})`];
}

/** `-1,234.50`. */
function readable(cents: bigint): string {
  return decimalOf(cents).replace(/\B(?=(\d{3})+\.)/g, ',');
}
