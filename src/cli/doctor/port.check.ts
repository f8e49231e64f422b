import type { Settings } from '../../config/env.js';
import { obstacleAt } from '../../port.js';
import { type Finding, right, wrong } from './finding.js';

const ANSWER_TIME = 2000;

/** Whether the service could listen; when it cannot since it does already, that is right as well. */
export async function checkPort({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<Finding> {
  const obstacle = await obstacleAt(host, port);
  if (obstacle === undefined) return right('port', `${port} on ${host} is free`);
  if (obstacle === 'EADDRINUSE' && (await isService(host, port)))
    return right('port', `the service answers on ${port} already`);
  return wrong('port', `${port} on ${host}: ${REMEDIES[obstacle] ?? obstacle}`);
}

const REMEDIES: Record<string, string> = {
  EADDRINUSE: 'something else listens there: stop it, or choose another PORT',
  EACCES: 'this user may not listen there: choose a PORT from 1024 on',
  EADDRNOTAVAIL: 'this machine does not have that address: correct HOST',
  ENOTFOUND: 'this name is not known: correct HOST',
};

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
