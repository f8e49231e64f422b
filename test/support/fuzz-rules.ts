import type { WireAnswer } from './wire.js';

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

interface Operation {
  readonly method: string;
  readonly path: RegExp;
  readonly access: 'public' | 'authenticated' | 'admin';
  /** What it may answer, beside what any request may be answered. */
  readonly statuses: readonly number[];
}

const ID = String.raw`[^/]+`;
const at = (path: string): RegExp => new RegExp(`^${path.replaceAll(':id', ID)}$`);

/** Every operation of the contract. HEAD is answered like GET. */
const OPERATIONS: readonly Operation[] = [
  { method: 'POST', path: at('/api/auth/signup'), access: 'public', statuses: [201, 409, 413, 415] },
  { method: 'POST', path: at('/api/auth/signin'), access: 'public', statuses: [200, 401, 413, 415] },
  { method: 'GET', path: at('/api/users/me'), access: 'authenticated', statuses: [200] },
  { method: 'GET', path: at('/api/users'), access: 'admin', statuses: [200] },
  { method: 'GET', path: at('/api/users/:id'), access: 'admin', statuses: [200, 404] },
  { method: 'DELETE', path: at('/api/users/:id'), access: 'admin', statuses: [200, 404, 409, 413, 415] },
  { method: 'GET', path: at('/api/properties'), access: 'authenticated', statuses: [200] },
  { method: 'POST', path: at('/api/properties'), access: 'authenticated', statuses: [200, 413, 415] },
  { method: 'GET', path: at('/api/properties/:id'), access: 'authenticated', statuses: [200, 304, 404] },
  {
    method: 'PUT',
    path: at('/api/properties/:id'),
    access: 'authenticated',
    statuses: [200, 404, 409, 413, 415],
  },
  {
    method: 'DELETE',
    path: at('/api/properties/:id'),
    access: 'authenticated',
    statuses: [200, 404, 409, 413, 415],
  },
  { method: 'GET', path: at('/api/transactions'), access: 'authenticated', statuses: [200] },
  { method: 'POST', path: at('/api/transactions'), access: 'authenticated', statuses: [200, 404, 413, 415] },
  {
    method: 'POST',
    path: at('/api/transactions/search'),
    access: 'authenticated',
    statuses: [200, 413, 415],
  },
  {
    method: 'GET',
    path: at('/api/transactions/property/:id'),
    access: 'authenticated',
    statuses: [200, 404],
  },
  { method: 'GET', path: at('/api/transactions/:id'), access: 'authenticated', statuses: [200, 304, 404] },
  {
    method: 'PUT',
    path: at('/api/transactions/:id'),
    access: 'authenticated',
    statuses: [200, 404, 409, 413, 415],
  },
  {
    method: 'DELETE',
    path: at('/api/transactions/:id'),
    access: 'authenticated',
    statuses: [200, 404, 409, 413, 415],
  },
  { method: 'GET', path: at('/actuator/health(/liveness|/readiness)?'), access: 'public', statuses: [200] },
  { method: 'GET', path: at('/actuator(/info|/prometheus)?'), access: 'admin', statuses: [200] },
];

/** Paths with methods of their own, which a template would swallow. */
const RESERVED = /^\/api\/(users\/me|transactions\/(search|property))$/;

/** Broken syntax, a late body, a long target, an unknown expectation, large fields. */
const FOR_ANY_REQUEST = [400, 408, 414, 417, 431];

/** What an answer must not be, going by who asked for what. */
export function ruleFaults(sent: Sent, { status }: Pick<WireAnswer, 'status'>, parties: Parties): string[] {
  const path = pathOf(sent.target);
  const operation = operationOf(sent.method, path);
  const caller = callerOf(sent, parties);
  const allowed = allowedFor(path, operation);
  const faults = allowed.includes(status) ? [] : [`${sent.method} ${path} may not answer ${status}`];
  if (status < 400) faults.push(...accessFaults(path, operation, caller, parties));
  if (status === 403 && (caller !== 'user' || !isForAdmin(path)))
    faults.push(`${sent.method} ${path} may not be denied to ${caller}`);
  return faults;
}

function allowedFor(path: string, operation: Operation | undefined): readonly number[] {
  if (operation === undefined) return [...FOR_ANY_REQUEST, 401, 404, 405, ...(isForAdmin(path) ? [403] : [])];
  const { access, statuses } = operation;
  const refusals = { public: [], authenticated: [401], admin: [401, 403] }[access];
  return [...FOR_ANY_REQUEST, ...refusals, ...statuses];
}

function accessFaults(
  path: string,
  operation: Operation | undefined,
  caller: string,
  { foreign }: Parties,
): string[] {
  if (operation?.access === 'public' || caller === 'admin') return [];
  if (caller !== 'user') return [`${path} was answered to ${caller}`];
  if (operation?.access !== 'authenticated') return [`${path} was answered to a user`];
  return foreign.includes(path) ? [`${path} is another owner's`] : [];
}

function operationOf(method: string, path: string): Operation | undefined {
  const read = method === 'HEAD' ? 'GET' : method;
  const found = OPERATIONS.filter((operation) => operation.method === read && operation.path.test(path));
  return RESERVED.test(path) ? found.find(({ path: { source } }) => !source.endsWith(`${ID}$`)) : found[0];
}

function isForAdmin(path: string): boolean {
  return path !== '/api/users/me' && /^\/(actuator|api\/users)(\/|$)/.test(path);
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
