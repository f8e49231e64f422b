// Generated from openapi.json by scripts/client-types.mjs: do not edit.
/** What can be called without a token. */
export const PUBLIC_PATHS = [
  '/actuator/health',
  '/actuator/health/liveness',
  '/actuator/health/readiness',
  '/api/auth/signin',
  '/api/auth/signup',
] as const;
