import type { Settings } from '../../config/env.js';
import { portError, remedyFor } from '../../port.js';
import { type Finding, findingsOf } from './report.js';

const RESPONSE_TIME = 5000;
const TOKEN_WANTED = 'urn:property-finance:problem:authentication-required';

/** Who listens on the service's port: an error code alone, or with it a service of this kind and its readiness. */
export interface Listener {
  readonly code: string | undefined;
  readonly isService: boolean;
  readonly isReady: boolean;
}

export async function findListener({ host, port }: Settings): Promise<Listener> {
  const code = await portError(host, port);
  if (code !== 'EADDRINUSE') return { code, isService: false, isReady: false };
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const get = (path: string): Promise<Response> =>
    fetch(`http://${name}:${port}${path}`, { redirect: 'error', signal: AbortSignal.timeout(RESPONSE_TIME) });
  try {
    const { type } = (await (await get('/api/users/me')).json()) as { type?: unknown };
    const isService = type === TOKEN_WANTED;
    return { code, isService, isReady: isService && (await get('/actuator/health/readiness')).ok };
  } catch {
    return { code, isService: false, isReady: false };
  }
}

/** `isServed`: whether the readiness check, which has just been asked, has its connection to this database. */
export function checkPort(
  { host, port }: Settings,
  { code, isService, isReady }: Listener,
  isServed: boolean | undefined,
): Finding[] {
  const fine = isService ? `the service runs on ${port} already` : `${port} on ${host} is free`;
  const remedy = remedyFor(code ?? '', port);
  return findingsOf('port', fine, [
    [
      isService && !isReady,
      'warn',
      `the service runs on ${port} already, but is not ready`,
      'look into its log',
    ],
    [
      isReady && isServed === false,
      'fail',
      `a service like this one runs on ${port}, on another database`,
      remedy,
    ],
    [
      code === 'EADDRINUSE' && !isService,
      'fail',
      `${port} on ${host} is taken by another program (EADDRINUSE)`,
      remedy,
    ],
    [
      code !== undefined && code !== 'EADDRINUSE',
      'fail',
      `${port} on ${host} cannot be used (${code})`,
      remedy,
    ],
  ]);
}
