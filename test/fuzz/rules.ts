import { operationOf } from '../support/api-document.js';
import type { WireAnswer } from '../support/wire.js';

/** Who is who in the requests, and what belongs to whom. */
export interface Parties {
  readonly user: string;
  readonly admin: string;
  /** Paths of what another owner has. */
  readonly foreign: readonly string[];
}

/** A request as it was sent. */
export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What an answer must not be, going by who asked for what; the API document says the rest. */
export function ruleFaults(sent: Sent, { status }: Pick<WireAnswer, 'status'>, parties: Parties): string[] {
  const path = pathOf(sent.target);
  const caller = callerOf(sent, parties);
  const isForAdmin = path !== '/api/users/me' && /^\/(actuator|api\/users)(\/|$)/.test(path);
  if (status === 403 && (caller !== 'user' || !isForAdmin))
    return [`${sent.method} ${path} may not be denied to ${caller}`];
  if (status >= 400 || caller === 'admin' || isPublic(sent.method, path)) return [];
  if (caller !== 'user') return [`${path} was answered to ${caller}`];
  if (isForAdmin) return [`${path} was answered to a user`];
  return parties.foreign.includes(path) ? [`${path} is another owner's`] : [];
}

function isPublic(method: string, path: string): boolean {
  return operationOf(method, path)?.operation.security?.length === 0;
}

/** As the router reads it: without scheme and query, its escapes resolved but for those of slashes. */
function pathOf(target: string): string {
  const path = target
    .replace(/^https?:\/\/[^/?]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/%2f/gi, '%252f');
  try {
    return decodeURIComponent(path === '' ? '/' : path);
  } catch {
    return path;
  }
}

/** Whose token the request carries in a way that counts: in the one Authorization field that it has. */
function callerOf({ headers }: Sent, { user, admin }: Parties): 'user' | 'admin' | 'nobody' {
  const values = headers.filter(([name]) => name.toLowerCase() === 'authorization').map(([, value]) => value);
  if (values.length !== 1) return 'nobody';
  const [value = ''] = values;
  if (value.trim() === `Bearer ${user}`) return 'user';
  return value.trim() === `Bearer ${admin}` ? 'admin' : 'nobody';
}
