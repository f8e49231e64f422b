/** Who may pass: anybody, whoever has a valid token, an ADMIN, or an ADMIN and whoever carries METRICS_TOKEN. */
export type Access = 'public' | 'authenticated' | 'admin' | 'metrics';

interface AccessRule {
  readonly matches: (path: string, method: string, docs: readonly string[]) => boolean;
  readonly access: Access;
}

const SIGN_UP_AND_IN = ['/api/auth/signup', '/api/auth/signin'];
const HEALTH = ['/actuator/health', '/actuator/health/liveness', '/actuator/health/readiness'];

/** The role rules, in the contract's order: the first that matches decides. */
const ACCESS_RULES: readonly AccessRule[] = [
  {
    matches: (path, method) => method === 'POST' && SIGN_UP_AND_IN.includes(path),
    access: 'public',
  },
  {
    matches: (path, method) => isRead(method) && HEALTH.includes(path),
    access: 'public',
  },
  { matches: (path, method, docs) => isRead(method) && docs.includes(path), access: 'public' },
  { matches: (path, method) => isRead(method) && path === '/actuator/prometheus', access: 'metrics' },
  { matches: (path) => isUnder(path, '/actuator'), access: 'admin' },
  { matches: (path) => path === '/api/users/me', access: 'authenticated' },
  { matches: (path) => isUnder(path, '/api/users'), access: 'admin' },
  { matches: () => true, access: 'authenticated' },
];

const CLOSED_RULES = ACCESS_RULES.filter(({ access }) => access === 'admin' || access === 'authenticated');

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isUnder(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** The access that the rules ask for, of a route's template. `docs` are the paths of the API documentation, if any. */
export function accessOf(path: string, method: string, docs: readonly string[] = []): Access {
  return firstOf(ACCESS_RULES, path, method, docs);
}

/** The access that the rules ask for, of a path that no route has: it is not public, however much it looks like it. */
export function accessOfUnknown(path: string, method: string): Access {
  return firstOf(CLOSED_RULES, path, method, []);
}

function firstOf(
  rules: readonly AccessRule[],
  path: string,
  method: string,
  docs: readonly string[],
): Access {
  return rules.find((rule) => rule.matches(path, method, docs))?.access ?? 'authenticated';
}
