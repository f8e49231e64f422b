import type { Settings } from '../../config/env.js';
import { localUrl, portError, portRemedy } from '../../config/port.js';
import { type Finding, findingsOf } from './findings.js';

const RESPONSE_TIME = 5000;
const TOKEN_WANTED = 'urn:property-finance:problem:authentication-required';

/** Whether the port is free, or else held by a service like this one, which then has to be ready. */
export async function checkPort({ host, port }: Settings): Promise<Finding[]> {
  const code = await portError(host, port);
  const get = (path: string): Promise<Response | undefined> => {
    const signal = AbortSignal.timeout(RESPONSE_TIME);
    return fetch(localUrl(host, port) + path, { redirect: 'error', signal }).catch(() => undefined);
  };
  const isTaken = code === 'EADDRINUSE';
  const refusal = isTaken ? await (await get('/api/users/me'))?.text().catch(() => '') : '';
  const isService = refusal?.includes(TOKEN_WANTED) === true;
  const isReady = isService && (await get('/actuator/health/readiness'))?.ok === true;
  const remedy = portRemedy(code ?? '', port);
  const here = `the service runs on ${port} already`;
  const unusable = `${port} on ${host} is taken by another program, or cannot be used (${code})`;
  return findingsOf('port', isService ? here : `${port} on ${host} is free`, [
    [isService && !isReady, 'warn', `${here}, but is not ready`, 'look into its log'],
    [code !== undefined && !isService, 'fail', unusable, remedy],
  ]);
}
