import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from '../faults.js';
import { decimalOf } from '../meaning/amounts.js';
import type { Line, Statement } from '../meaning/statement.js';
import type { StoredRow } from './ledger.js';

export interface JournalLine {
  readonly line: number;
  readonly account: string;
  readonly day: string;
  readonly total: string;
  readonly text: string;
  readonly reference: string;
  readonly balance?: string;
  readonly rows: readonly StoredRow[];
  /** Taken for another line that was there, by `--changed same`. */
  readonly isAlias?: boolean;
}

/** What a run has done, beside its rules. */
export interface Journal {
  readonly file: string;
  readonly at: string;
  /** `sending` where the run broke off: its rows may be stored. */
  readonly state: 'sending' | 'done' | 'undone';
  /** Account → its first and last day in the file. */
  readonly spans: Readonly<Record<string, readonly [first: string, last: string]>>;
  readonly lines: readonly JournalLine[];
}

export function journalLine(line: Line, rows: readonly StoredRow[], isAlias: boolean): JournalLine {
  const { account, day, text, reference, balance } = line;
  return {
    ...{ line: line.line, account, day, total: decimalOf(line.total), text, reference, rows },
    ...(balance === undefined ? {} : { balance: decimalOf(balance) }),
    ...(isAlias ? { isAlias } : {}),
  };
}

export function newJournal(file: string, { spans }: Statement, lines: readonly JournalLine[]): Journal {
  return { file, at: new Date().toISOString(), state: 'sending', spans, lines };
}

/** A new file in the folder of runs beside the rules. */
export function journalPath(rulesFile: string, { at }: Journal): string {
  return join(folderOf(rulesFile), `${at.replaceAll(/[:.]/g, '-')}-${process.pid}.json`);
}

function folderOf(rulesFile: string): string {
  return join(dirname(rulesFile), 'bank-import-runs');
}

/** The file is whole at every moment. */
export function writeJournal(path: string, journal: Journal): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(journal, undefined, 1)}\n`);
  renameSync(`${path}.new`, path);
}

export function readJournal(path: string): Journal {
  try {
    const journal = JSON.parse(readFileSync(path, 'utf8')) as Journal;
    if (Array.isArray(journal.lines)) return journal;
  } catch (error) {
    throw new Refusal(`${path}: ${(error as Error).message}`, 2);
  }
  throw new Refusal(`${path} is not the journal of a run`, 2);
}

/** The runs that were not undone, oldest first. */
export function pastRuns(rulesFile: string): Journal[] {
  const folder = folderOf(rulesFile);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names
    .sort()
    .map((name) => readJournal(join(folder, name)))
    .filter(({ state }) => state !== 'undone');
}
