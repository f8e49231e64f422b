import { migrate } from '../../src/database/migrate.js';
import { OwnServer } from './own-server.js';
import { type Service, startService } from './service.js';
import { testSettings } from './settings.js';

/** The service with a PostgreSQL of its own, for what is run by hand and not by Jest. */
export async function startOwnService(env: Record<string, string> = {}): Promise<Service> {
  const server = await OwnServer.start();
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
