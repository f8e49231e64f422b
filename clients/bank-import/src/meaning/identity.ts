import { createHash } from 'node:crypto';
import { isEmptyAmount } from './amounts.js';

/** What is the same for a line in every file, however that is printed. */
export interface Identity {
  readonly account: string;
  /** The provider's own; a dash is none. */
  readonly id: string;
  readonly day: string;
  readonly total: bigint;
  readonly text: string;
}

/** The provider's id tells a line from all others of the account, or else its day, cents and text, and the equal ones before it. */
export function referenceOf({ account, id, day, total, text }: Identity, before: number): string {
  const name = account.toLowerCase().replaceAll('%', '%25').replaceAll('/', '%2F');
  const content = JSON.stringify([text.toLowerCase(), String(total), before]);
  const reference = hasId({ id }) ? `${name}/${id}` : `${name}/${day}/${hashOf(content)}`;
  return reference.length > 200 ? `${name.slice(0, 60)}/${hashOf(reference)}` : reference;
}

export function hasId({ id }: Pick<Identity, 'id'>): boolean {
  return !isEmptyAmount(id);
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
