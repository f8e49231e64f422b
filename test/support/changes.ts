import type { Client } from './client.js';
import { until } from './until.js';

export interface Change {
  readonly change: 'written' | 'deleted';
  readonly at: string;
  readonly id?: number;
  readonly version?: number;
  readonly transaction?: Record<string, unknown> & { readonly id: number };
  readonly property?: Record<string, unknown> & { readonly id: number };
}

export interface ChangesPage {
  readonly changes: readonly Change[];
  readonly next: string;
}

/** The parts of a cursor. */
export const partsOf = (cursor: string): string[] => Buffer.from(cursor, 'base64url').toString().split(' ');
export const cursorFrom = (parts: readonly string[]): string =>
  Buffer.from(parts.join(' ')).toString('base64url');

/** Throws the text of another response. */
export async function changesPage(caller: Client, path: string): Promise<ChangesPage> {
  const response = await caller.get(path);
  if (response.status !== 200) throw new Error(`no changes: ${response.status} ${response.text}`);
  return response.json as ChangesPage;
}

/** Reads on until everything that has been committed before has come. */
export async function follow(
  caller: Client,
  cursor = '',
  path = '/api/transactions/changes?',
): Promise<ChangesPage> {
  const now = new Date().toISOString();
  const changes: Change[] = [];
  let next = cursor;
  await until(async () => {
    const page = await changesPage(caller, `${path}&cursor=${next}`);
    changes.push(...page.changes);
    next = page.next;
    return page.changes.length === 0 && partsOf(next)[2]! > now;
  });
  return { changes, next };
}
