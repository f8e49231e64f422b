import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Node's options in the script `start`. Its heap is the same on every machine: by the memory of a container of 512 MiB, Node
 * would have a young generation of 1 MiB, and collect it two hundred times a second. By its size V8 would let it grow by 30 %
 * between two full collections. Long bodies, which are beside the heap, count as growth, and would cause four a second.
 */
export const START_ARGS = [
  '--max-old-space-size=256',
  '--max-semi-space-size=16',
  '--heap-growing-percent=60',
  '--no-allocation-site-pretenuring',
];

/** A moment later somebody else may take it; that would be told by a failing start. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
