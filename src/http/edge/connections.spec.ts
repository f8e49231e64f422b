import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { allAccepted, closeSilentConnections, watchConnections } from './connections.js';

const CLIENTS = 30;

let server: Server;
let accepted: number;
const clients: Socket[] = [];

beforeEach(async () => {
  server = createServer((_request, response) => response.end('answer'));
  watchConnections(server);
  accepted = 0;
  server.on('connection', () => accepted++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
  server.closeAllConnections();
});

/** Connects; the system says that this is done before the server has accepted. */
async function dial(): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client.on('error', () => undefined));
  await once(client, 'connect');
  return client;
}

describe('connections of a server that stops', () => {
  it('are accepted before the listener closes', async () => {
    await Promise.all(Array.from({ length: CLIENTS }, dial));
    await allAccepted(server, 1000);
    server.close();
    await turn();
    expect(accepted).toBe(CLIENTS);
  });

  it('are waited for no longer than it is told', async () => {
    await Promise.all(Array.from({ length: CLIENTS }, dial));
    await allAccepted(server, 0);
    expect(accepted).toBeLessThan(CLIENTS);
  });

  it('are closed when nothing has come on them twice in a row', async () => {
    const client = await dial();
    await allAccepted(server, 1000);
    closeSilentConnections(server);
    await turn();
    expect(client.readyState).toBe('open');
    const closed = once(client, 'close');
    closeSilentConnections(server);
    client.resume();
    await closed;
  });

  it('are kept when a request has come on them meanwhile', async () => {
    const client = await dial();
    await allAccepted(server, 1000);
    closeSilentConnections(server);
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(client, 'data');
    closeSilentConnections(server);
    await turn();
    expect(client.readyState).toBe('open');
  });
});
