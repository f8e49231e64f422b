/** Callers that may pass: all, those with a valid token, ADMIN, or ADMIN and the bearer of METRICS_TOKEN. */
export type Access = 'public' | 'authenticated' | 'admin' | 'metrics';

const SIGN_UP_AND_IN = ['/api/auth/signup', '/api/auth/signin'];
const HEALTH = ['/actuator/health', '/actuator/health/liveness', '/actuator/health/readiness'];

/** The access that the contract gives a route's template. */
export function accessOf(path: string, method: string): Access {
  const isRead = method === 'GET' || method === 'HEAD';
  if (method === 'POST' && SIGN_UP_AND_IN.includes(path)) return 'public';
  if (isRead && HEALTH.includes(path)) return 'public';
  if (isRead && path === '/actuator/prometheus') return 'metrics';
  return accessOfUnknown(path);
}

/** The access of a path without a route: never public, however much it looks like a path that is. */
export function accessOfUnknown(path: string): Access {
  if (path === '/api/users/me') return 'authenticated';
  return isUnder('/actuator', path) || isUnder('/api/users', path) ? 'admin' : 'authenticated';
}

function isUnder(parent: string, path: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}
