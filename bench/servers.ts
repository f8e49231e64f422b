import { join } from 'node:path';
import { Program } from '../test/support/program.js';
import type { Cleanup } from './cleanup.js';
import { JWT_SECRET } from './database.js';
import { freePort, START_ARGS } from './launch.js';

/** A server under test, in a process of its own. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its first good readiness probe, in seconds. */
  readonly startTime: number;
}

/** Of the service by default, and therefore of the reference. */
const POOL_SIZE = 10;
const BUILD = join(import.meta.dirname, '..');

/** The service as it is built, as `npm start` starts it. */
export async function startService(databaseUrl: string, cleanup: Cleanup): Promise<Server> {
  const port = await freePort();
  return start(port, [...START_ARGS, join(BUILD, 'src/main.js')], cleanup, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    PORT: String(port),
    DB_URL: databaseUrl,
    DB_PASSWORD: 'unused', // the server trusts every user of its socket
    DB_POOL_SIZE: String(POOL_SIZE),
    JWT_SECRET,
    SHUTDOWN_DELAY: '0s',
  });
}

export async function startReference(databaseUrl: string, cleanup: Cleanup): Promise<Server> {
  const port = await freePort();
  const settings = { port: String(port), database: databaseUrl, pool: String(POOL_SIZE), secret: JWT_SECRET };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return start(port, [join(BUILD, 'bench/reference/main.js'), ...args], cleanup, { NODE_ENV: 'production' });
}

async function start(
  port: number,
  args: readonly string[],
  cleanup: Cleanup,
  env: Record<string, string>,
): Promise<Server> {
  const begin = performance.now();
  const url = `http://127.0.0.1:${port}`;
  const program = new Program(cleanup, [process.execPath, ...args], {
    cwd: BUILD, // without an .env
    env,
    stdio: ['ignore', 2, 2], // its output is not part of the report
    signals: ['SIGTERM'],
  });
  await program.answers(`${url}/actuator/health/readiness`);
  return { url, pid: program.pid, startTime: (performance.now() - begin) / 1000 };
}
