/** Callers that may pass: all, those with a valid token, ADMIN, or ADMIN and the bearer of METRICS_TOKEN. */
export type Access = 'public' | 'authenticated' | 'admin' | 'metrics';

/** The contract's rules for `METHOD /path`, in its order: the first that matches decides. */
const RULES: readonly (readonly [RegExp, Access])[] = [
  [/^POST \/api\/auth\/sign(?:up|in)$/, 'public'],
  [/^(?:GET|HEAD) \/actuator\/health(?:\/liveness|\/readiness)?$/, 'public'],
  [/^(?:GET|HEAD) \/actuator\/prometheus$/, 'metrics'],
  [/^\S* \/actuator(?:\/|$)/, 'admin'],
  [/^\S* \/api\/users\/me$/, 'authenticated'],
  [/^\S* \/api\/users(?:\/|$)/, 'admin'],
];

/** The access to a route's template; without a method, to a path that has no route: never public, whatever it looks like. */
export function accessOf(path: string, method = ''): Access {
  const target = `${method} ${path}`;
  return RULES.find(([pattern]) => pattern.test(target))?.[1] ?? 'authenticated';
}
