import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { HealthService } from './actuator/health/health.service.js';
import { type Logger, LOGGER } from './config/logger.js';
import type { Settings } from './config/env.js';
import { Requests } from './http/requests.js';

/** Milliseconds for the steps after the requests: closing the pool, a migration that cannot be interrupted. */
const CLOSING_TIME = 5000;
const IDLE_CHECK_INTERVAL = 50;

/** Once the signal is aborted, drains the application and ends the process. */
export async function stopOn(
  signal: AbortSignal,
  app: NestFastifyApplication,
  settings: Settings,
  after?: () => Promise<void>,
): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  const longest = settings.shutdownDelay + settings.shutdownTimeout + CLOSING_TIME;
  const deadline = setTimeout(() => process.exit(1), longest).unref();
  let code = 0;
  try {
    await stop(app, settings);
    await after?.();
  } catch (error) {
    process.stderr.write(`The shutdown failed: ${String(error)}\n`);
    code = 1;
  }
  clearTimeout(deadline);
  process.exit(code);
}

/** Serves until the delay is over, so that load balancers see readiness at 503; then finishes what is under way. */
export async function stop(
  app: NestFastifyApplication,
  settings: Pick<Settings, 'shutdownDelay' | 'shutdownTimeout'>,
): Promise<void> {
  const startedAt = performance.now();
  const logger = app.get<Logger>(LOGGER);
  app.get(HealthService).draining = true;
  logger.info({ underWay: underWay(app), delay: settings.shutdownDelay }, 'stopping');
  await sleep(settings.shutdownDelay);
  const server = app.getHttpServer();
  const requests = app.get(Requests);
  const closeIdle = server.closeIdleConnections.bind(server);
  // Node, whose close() calls this too, takes a connection for idle while its client still reads the end of a response.
  server.closeIdleConnections = () => {
    if (!requests.inFlight.some(({ response }) => response.writableEnded)) closeIdle();
  };
  server.close();
  // close() drops only connections that are idle when it is called: one whose last response was then on its way
  // would hold the process for its whole keep-alive time.
  const idle = setInterval(() => {
    // After the event loop has read its sockets: closing on an unread request loses it.
    setImmediate(() => {
      server.closeIdleConnections();
      // On which no request has ever come: Node takes them for busy until their time is up.
      for (const socket of requests.connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    });
  }, IDLE_CHECK_INTERVAL);
  const force = setTimeout(() => {
    logger.warn({ underWay: underWay(app) }, 'requests still under way are cut off');
    server.closeAllConnections();
  }, settings.shutdownTimeout);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(force);
  }
  logger.info({ milliseconds: Math.round(performance.now() - startedAt) }, 'stopped');
}

function underWay(app: NestFastifyApplication): Record<string, number> {
  const { inFlight, connections } = app.get(Requests);
  return { requests: inFlight.length, connections: connections.size };
}
