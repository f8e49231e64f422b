import type { Request } from './commands.js';
import { callOf, type Prediction, refused } from './outcomes.js';
import type { Caller, World } from './world.js';

interface Place {
  readonly method: string;
  readonly path: string;
  /** Of a path that has other methods. */
  readonly allow?: string;
  readonly isForAdmin?: boolean;
}

const PLACES: readonly Place[] = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/api/nothing' },
  { method: 'PATCH', path: '/api/properties/1', allow: 'DELETE, GET, HEAD, PUT' },
  { method: 'POST', path: '/api/properties/1', allow: 'DELETE, GET, HEAD, PUT' },
  { method: 'DELETE', path: '/api/properties', allow: 'GET, HEAD, POST' },
  { method: 'PUT', path: '/api/transactions', allow: 'GET, HEAD, POST' },
  { method: 'GET', path: '/api/transactions/search', allow: 'POST' },
  { method: 'GET', path: '/api/transactions/export', allow: 'POST' },
  { method: 'PUT', path: '/api/properties/export', allow: 'GET, HEAD' },
  { method: 'GET', path: '/api/transactions/import', allow: 'POST' },
  { method: 'DELETE', path: '/api/transactions/property/1', allow: 'GET, HEAD' },
  { method: 'POST', path: '/api/reports/profit-and-loss', allow: 'GET, HEAD' },
  { method: 'GET', path: '/api/auth/signin', allow: 'POST' },
  { method: 'DELETE', path: '/api/users/me', allow: 'GET, HEAD' },
  { method: 'POST', path: '/api/users', allow: 'GET, HEAD', isForAdmin: true },
  { method: 'PUT', path: '/api/users/1', allow: 'DELETE, GET, HEAD', isForAdmin: true },
  { method: 'GET', path: '/api/users/1/properties', isForAdmin: true },
  { method: 'GET', path: '/actuator/env', isForAdmin: true },
  { method: 'GET', path: '/API/properties' },
];

/** Where there is no operation: an unknown path, or a known one with another method. */
export function otherRoute(_: World, caller: Caller, { index }: Request<'otherRoute'>): Prediction {
  const { method, path, allow, isForAdmin = false } = PLACES[index % PLACES.length]!;
  const outcome =
    allow === undefined ? refused('not-found') : refused('method-not-allowed', { headers: { allow } });
  return { call: callOf(caller, method, path), outcomes: [outcome], isForAdmin };
}
