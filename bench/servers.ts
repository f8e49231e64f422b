import { join, resolve } from 'node:path';
import { Rig } from '../test/faults/support/rig.js';
import type { Service } from '../test/faults/support/service.js';
import { Program } from '../test/support/program.js';
import { TEST_SECRET } from '../test/support/settings.js';
import type { Cleanup } from './cleanup.js';
import { freePort } from './launch.js';

/** A server under test, in a process of its own. */
export type Server = Pick<Service, 'url' | 'pid'>;

/** Of the service by default, and therefore of the reference. */
const POOL_SIZE = 10;
const REFERENCE = join(import.meta.dirname, 'reference/main.js');

/** The service, or that of another checkout that has been built. */
export async function startService(
  databaseUrl: string,
  cleanup: Cleanup,
  checkout?: string,
): Promise<Service> {
  const main = checkout && resolve(checkout, 'dist/src/main.js');
  const launch = { databaseUrl, main, env: { LOG_LEVEL: 'warn' } };
  return new Rig(cleanup).launch(launch, await freePort()).ready();
}

export async function startReference(databaseUrl: string, cleanup: Cleanup): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = { port, database: databaseUrl, pool: POOL_SIZE, secret: TEST_SECRET };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const program = new Program(cleanup, [process.execPath, REFERENCE, ...args], {
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 2, 2], // its output is not part of the report
  });
  await program.serves(`${url}/actuator/health/readiness`);
  return { url, pid: program.pid };
}
