import { once } from 'node:events';
import { createServer } from 'node:net';

/** Why nothing could listen there just now, as the system's error code; undefined when something could. */
export async function obstacleAt(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  } finally {
    server.close();
  }
}
