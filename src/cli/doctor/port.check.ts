import type { Settings } from '../../config/env.js';
import { portError, remedyFor } from '../../port.js';
import { fail, type Finding, ok } from './finding.js';

const ANSWER_TIME = 2000;

/** Whether the service could listen; when it cannot since it does already, that is right as well. */
export async function checkPort({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<Finding> {
  const code = await portError(host, port);
  if (code === undefined) return ok('port', `${port} on ${host} is free`);
  if (code === 'EADDRINUSE' && (await isService(host, port)))
    return ok('port', `the service answers on ${port} already`);
  return fail('port', `${port} on ${host} cannot be listened on (${code})`, remedyFor(code, port));
}

async function isService(host: string, port: number): Promise<boolean> {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const answer = await fetch(`http://${name}:${port}/actuator/health/liveness`, {
      signal: AbortSignal.timeout(ANSWER_TIME),
    });
    return ((await answer.json()) as { status?: unknown }).status === 'UP';
  } catch {
    return false;
  }
}
