import { migrate } from '../../src/database/migrate.js';
import { OwnServer } from './own-server.js';
import { type Service, startService } from './service.js';
import { testSettings } from './settings.js';

const INTERRUPTED = 130;

/** The service with a PostgreSQL of its own, for what is run by hand and not by Jest: Ctrl-C leaves nothing behind. */
export async function startOwnService(env: Record<string, string> = {}): Promise<Service> {
  const server = await OwnServer.start();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(INTERRUPTED));
  process.once('exit', () => server.discard());
  await migrate(testSettings(server.url).database);
  const service = await startService(env, server.url);
  return {
    ...service,
    async stop() {
      await service.stop();
      await server.remove();
    },
  };
}
