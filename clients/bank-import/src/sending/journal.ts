import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PropertyFinanceClient as Client } from '../../../typescript/src/public.js';
import { Refusal } from '../faults.js';
import { decimalOf } from '../meaning/amounts.js';
import type { Line, Statement } from '../meaning/statement.js';
import { remove, type Row, store } from './ledger.js';

interface Entry extends Omit<Line, 'total'> {
  readonly total: string;
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

/** The runs that were not undone. */
export function pastRuns(rulesFile: string): Journal[] {
  const folder = folderOf(rulesFile);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.map((name) => readJournal(join(folder, name))).filter(({ state }) => state !== 'undone');
}

/** Deletes what the run has recorded and nobody has changed since. Returns what to tell, and whether all is gone. */
export async function undo(client: Client, path: string): Promise<[told: string, isWhole: boolean]> {
  const journal = readJournal(path);
  const made = journal.lines.flatMap(({ rows }) => rows).filter(({ created }) => created);
  const stored = journal.state === 'sending' ? await store(client, made, true) : made;
  const there = stored.filter(({ id }) => id);
  const kept: Row[] = [];
  for (const row of there) if (!(await remove(client, row.id ?? ''))) kept.push(row);
  const nameOf = ({ id, line, request }: Row) => `transaction ${id}, line ${line}, ${request.description}`;
  const told = kept.map((row) => `kept, because it was changed since: ${nameOf(row)}\n`);
  const lines = journal.lines.filter(({ rows }) => rows.some(({ id }) => kept.some((row) => row.id === id)));
  writeJournal(path, { ...journal, state: 'undone', lines });
  return [`${told.join('')}${there.length - kept.length} deleted, ${kept.length} kept\n`, kept.length === 0];
}
