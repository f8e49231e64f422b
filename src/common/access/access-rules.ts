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

const OF_ADMIN = /^\/(?:actuator|api\/users)(?:\/|$)/;

/** The access of a path without a route: never public, however much it looks like a path that is. */
export function accessOfUnknown(path: string): Access {
  return path !== '/api/users/me' && OF_ADMIN.test(path) ? 'admin' : 'authenticated';
}
