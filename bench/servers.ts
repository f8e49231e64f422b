import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from './cleanup.js';
import { JWT_SECRET } from './database.js';
import { freePort, START_ARGS } from './launch.js';

/** A server under test, in a process of its own. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its first good readiness probe, in seconds. */
  readonly startTime: number;
  stop(): Promise<void>;
}

/** Of the service by default, and therefore of the reference. */
const POOL_SIZE = 10;
const READY_WITHIN = 20_000;
const PROBE_INTERVAL = 5;
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
    DB_PASSWORD: 'unused', // the server trusts whoever reaches its socket
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
  const child = spawn(process.execPath, args, {
    cwd: BUILD, // where no .env is
    env,
    stdio: ['ignore', 2, 2], // what it has to say is not part of the report
  });
  const stop = () => end(child);
  cleanup.defer(stop);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, `${url}/actuator/health/readiness`);
  return { url, pid: child.pid ?? 0, startTime: (performance.now() - begin) / 1000, stop };
}

async function untilReady(child: ChildProcess, probe: string): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN; ;) {
    const up = await fetch(probe).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${child.spawnargs.join(' ')} did not become ready`);
    await sleep(PROBE_INTERVAL);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
