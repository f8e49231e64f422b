import { Refusal } from '../faults.js';
import { cellOf } from '../reading/table.js';
import type { Cells } from './cells.js';
import type { DraftedRow } from './drafts.js';
import { usedColumns } from './rules.js';
import type { Unused } from './signs.js';

interface Candidate {
  readonly name: string;
  readonly words: readonly string[];
  /** The words that stand beside amounts without a sign. */
  readonly unsigned: ReadonlySet<string>;
}

/** Columns of two or three words, one in each line, that the rules do not use. */
function candidates({ table, rules }: Cells, drafts: readonly DraftedRow[]): Candidate[] {
  const used = usedColumns(rules);
  const counted = drafts.filter(({ isCounted }) => isCounted);
  return table.names.flatMap((name) => {
    if (name === '' || used.includes(name)) return [];
    const cells = counted.map(
      ({ row, parts }) => [cellOf(table, row, name), (parts[0]?.cents ?? 0n) > 0n] as const,
    );
    const words = [...new Set(cells.map(([word]) => word))];
    const areWords = words.every((word) => word !== '' && word.length <= 20 && !/\d/.test(word));
    const unsigned = new Set(cells.flatMap(([word, isUnsigned]) => (isUnsigned ? [word] : [])));
    return areWords && words.length > 1 && words.length < 4 ? [{ name, words, unsigned }] : [];
  });
}

/** What stands beside the amounts, and the rules do not use. */
export function unusedIn(cells: Cells, drafts: readonly DraftedRow[]): Unused {
  const named = candidates(cells, drafts).map(({ name, words }) => `"${name}" has ${words.join(', ')}`);
  const used = usedColumns(cells.rules).map((column) =>
    typeof column === 'number' ? column - 1 : cells.table.names.indexOf(column),
  );
  const isEmpty = drafts.every(({ row }) =>
    row.cells.every((cell, index) => cell === '' || used.includes(index)),
  );
  return { hint: named.map((text) => `; ${text}`).join(''), isEmpty };
}

/**
 * Throws where amounts have few signs and a column of two or three words stands beside them: unsigned amounts under both words
 * may be in and out, and those with a sign refunds.
 */
export function refuseSuspect(cells: Cells, drafts: readonly DraftedRow[]): void {
  const { columns, everything, negate } = cells.rules;
  const amounts = drafts.filter(({ isCounted }) => isCounted).map(({ parts }) => parts[0]?.cents ?? 0n);
  const minus = amounts.filter((cents) => cents < 0n).length;
  if (columns.amount === undefined || columns.direction !== undefined || (everything ?? negate) !== undefined)
    return;
  if (minus === 0 || minus * 2 >= amounts.length) return;
  const suspect = candidates(cells, drafts).find(({ unsigned }) => unsigned.size > 1);
  if (suspect === undefined) return;
  throw new Refusal(
    `most amounts have no sign, and "${suspect.name}" (${suspect.words.join(', ')}) may say which go out: name it by columns.direction ` +
      'with its words "in" and "out", or say "everything": "in" where a minus alone does',
  );
}
