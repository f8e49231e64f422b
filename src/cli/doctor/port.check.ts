import type { Settings } from '../../config/env.js';
import { obstacleAt, remedyFor } from '../../port.js';
import { fail, type Finding, ok } from './finding.js';

const ANSWER_TIME = 2000;

/** Whether the service could listen; when it cannot since it does already, that is right as well. */
export async function checkPort({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<Finding> {
  const obstacle = await obstacleAt(host, port);
  if (obstacle === undefined) return ok('port', `${port} on ${host} is free`);
  if (obstacle === 'EADDRINUSE' && (await isService(host, port)))
    return ok('port', `the service answers on ${port} already`);
  return fail('port', `${port} on ${host} cannot be listened on (${obstacle})`, remedyFor(obstacle, port));
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
