import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PropertyFinanceClient as Client } from '../../../typescript/src/public.js';
import { Refusal } from '../faults.js';
import { decimalOf } from '../meaning/amounts.js';
import type { Statement } from '../meaning/statement.js';
import type { Judged } from './doubts.js';
import { remove, type Row, store } from './ledger.js';

/** A line of a run. */
export interface Entry extends Omit<Judged, 'total' | 'balance'> {
  readonly total: string;
  readonly balance?: string;
  readonly rows: readonly Row[];
}

/** What a run has done, beside its rules. */
export interface Journal extends Pick<Statement, 'spans'> {
  /** `sending` where the run broke off: its rows may be stored. */
  readonly state: 'sending' | 'done' | 'undone';
  readonly lines: readonly Entry[];
}

export function folderOf(rulesFile: string): string {
  return join(dirname(rulesFile), 'bank-import-runs');
}

/** The file is whole at every moment. */
export function writeJournal(path: string, journal: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, journalText(journal));
  renameSync(`${path}.new`, path);
}

/** Amounts are decimals in it. */
export function journalText(journal: object): string {
  const decimal = (_: string, part: unknown): unknown => (typeof part === 'bigint' ? decimalOf(part) : part);
  return `${JSON.stringify(journal, decimal, 1)}\n`;
}

function readJournal(path: string): Journal {
  const text = readFileSync(path, 'utf8');
  if (/^\{[^]*"lines":\s*\[/.test(text)) return JSON.parse(text) as Journal;
  throw new Refusal(`${path} is not the journal of a run`, 2);
}

/** The runs that were not undone, oldest first. */
export function pastRuns(rulesFile: string): Journal[] {
  const folder = folderOf(rulesFile);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const runs = names.toSorted().map((name) => readJournal(join(folder, name)));
  return runs.filter(({ state }) => state !== 'undone');
}

/** Deletes what the run has recorded and nobody has changed since. Returns what to tell, and whether all is gone. */
export async function undo(client: Client, path: string): Promise<[told: string, isWhole: boolean]> {
  const journal = readJournal(path);
  const made = journal.lines.flatMap(({ rows }) => rows).filter(({ created }) => created);
  const stored = journal.state === 'sending' ? await store(client, made, true) : made;
  const kept: string[] = [];
  const told: string[] = [];
  let deleted = 0;
  for (const { id, line, request } of stored) {
    if (!id) continue;
    if (await remove(client, id)) deleted += 1;
    else {
      kept.push(request.paymentReference);
      told.push(
        `kept, because it was changed since: transaction ${id}, line ${line}, ${request.description}\n`,
      );
    }
  }
  const isKept = ({ rows }: Entry): boolean =>
    rows.some(({ request }) => kept.includes(request.paymentReference));
  writeJournal(path, { ...journal, state: 'undone', lines: journal.lines.filter(isKept) });
  return [`${told.join('')}${deleted} deleted, ${kept.length} kept\n`, kept.length === 0];
}
