import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Turn } from '../src/common/concurrency/turns.js';
import { Requests } from '../src/http/requests.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { collectGarbage } from './support/garbage.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';
import { expectProblem } from './support/responses.js';
import { slowDeletion } from './support/slow-deletion.js';
import { until } from './support/until.js';
import { chunk, requestText, Wire } from './support/wire.js';

const PATH = '/api/properties';
const MANY = 8;
/** Bytes: almost the longest body. */
const LONG = 1_000_000;
const ENOUGH = (MANY * LONG) / 2;
/** In the arrays of a row. */
const MANY_VALUES = 400_000;

let service: Service;
let user: Account;
let head: (...headers: string[]) => string;

beforeAll(async () => {
  service = await startService();
  user = await service.account();
  const usual = [`Authorization: Bearer ${user.token!}`, 'Content-Type: application/json'];
  head = (...headers) => requestText('POST /api/properties HTTP/1.1', [...usual, ...headers]);
});

const inChunks = (...texts: string[]): string =>
  head('Transfer-Encoding: chunked') + texts.map(chunk).join('');

/** Bytes of buffers that are still wanted. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Bytes of objects that are still wanted. */
function heldHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const whole = (body: string): string => head(`Content-Length: ${LONG}`) + body;
const BODY = 'x'.repeat(LONG);

it.each<[name: string, bytes: () => string, status: number]>([
  ['is whole, while its connection is idle,', () => whole(BODY), 400],
  ['came in chunks, while its connection is idle,', () => inChunks(BODY, ''), 400],
  ['is too large, while its connection lingers,', () => inChunks(BODY, BODY), 413],
  ['broke off, while its request waits to be refused,', () => whole(BODY.slice(1)), 0],
])('a body that %s is not held', async (_, bytes, status) => {
  await until(() => service.app.get(Requests).connections.size === 0); // those of the test before
  const held: IncomingMessage[] = []; // as by connections that linger, which is for seconds only, and by those that wait
  const hold = (request: IncomingMessage): void => void held.push(request);
  service.app.getHttpServer().on('request', hold);
  const before = heldBytes();
  const send = async (): Promise<Wire> => {
    const wire = await Wire.open(service.url);
    await wire.sent(Buffer.from(bytes()));
    if (status !== 0) expect((await wire.response()).status).toBe(status);
    return wire;
  };
  const wires = await Promise.all(Array.from({ length: MANY }, send));
  if (status === 0) {
    await until(() => held.length === MANY && heldBytes() > before + ENOUGH);
    for (const wire of wires) wire.destroy();
  }
  await until(() => heldBytes() < before + ENOUGH);
  service.app.getHttpServer().off('request', hold);
  expect(held).toHaveLength(MANY);
});

it('a connection that has closed is not held', async () => {
  const sockets: WeakRef<Socket>[] = [];
  const add = (socket: Socket): void => void sockets.push(new WeakRef(socket));
  service.app.getHttpServer().on('connection', add);
  const wires = await Promise.all(Array.from({ length: MANY }, () => Wire.open(service.url)));
  const fields = Array<string>(40).fill('a:'); // more than Node keeps in its parser
  for (const wire of wires) await wire.send(requestText('GET / HTTP/1.1', fields)).response();
  service.app.getHttpServer().off('connection', add);
  for (const wire of wires) wire.destroy();
  await until(() => service.app.get(Requests).connections.size === 0);
  await until(() => {
    collectGarbage();
    return sockets.every((socket) => socket.deref() === undefined);
  });
  expect(sockets).toHaveLength(MANY);
});

it('small chunks are held together', async () => {
  let parts = 0;
  const count = (request: IncomingMessage): void => {
    const push = request.push.bind(request);
    request.push = (...part) => {
      parts++;
      return push(...part);
    };
  };
  service.app.getHttpServer().prependOnceListener('request', count);
  const text = JSON.stringify(propertyRequest()).padEnd(64 * 2500);
  const wire = await Wire.open(service.url);
  wire.send(inChunks(...text.match(/.{64}/gs)!, ''));
  expect((await wire.response()).status).toBe(200);
  expect(parts).toBeLessThan(1000);
  wire.destroy();
});

it('long bodies are read one after the other, 64 KiB in a turn', async () => {
  let [turn, most] = [0, 0];
  const count = (request: IncomingMessage): void => {
    const push = request.push.bind(request);
    let isAhead = true;
    request.push = (part: Buffer | null) => {
      if (!isAhead) turn += part?.length ?? 0;
      [isAhead, most] = [false, Math.max(most, turn)];
      void setImmediate().then(() => (turn = 0));
      return push(part);
    };
  };
  service.app.getHttpServer().on('request', count);
  const wires = await Promise.all(Array.from({ length: MANY }, () => Wire.open(service.url)));
  const answers = await Promise.all(wires.map((wire) => wire.send(whole(BODY)).response()));
  service.app.getHttpServer().off('request', count);
  for (const wire of wires) wire.destroy();
  expect(answers.map(({ status }) => status)).toEqual(Array(MANY).fill(400));
  expect(most).toBeLessThan((MANY / 2) * 64 * 1024);
});

it('packets of single bytes wait in the system while nobody wants their body', async () => {
  const { lock, bytes } = await slowDeletion(service, user);
  const requests: IncomingMessage[] = [];
  const add = (request: IncomingMessage): void => void requests.push(request);
  service.app.getHttpServer().on('request', add);
  const body = JSON.stringify(propertyRequest());
  const wire = (await Wire.open(service.url)).send(bytes + head(`Content-Length: ${body.length}`));
  await lock.waitedForBy(1);
  for (const byte of body) {
    await wire.sent(Buffer.from(byte));
    await setImmediate();
  }
  expect(requests[1]?.readableLength).toBeLessThan(10);
  service.app.getHttpServer().off('request', add);
  await lock.release();
  for (let left = 2; left > 0; left--) expect((await wire.response()).status).toBe(200);
  wire.destroy();
});

it.each<[type: string, file: string]>([
  ['application/x-ndjson', '{"tags":?}'],
  ['application/x-ndjson', '[{"tags":?}]'],
  ['text/csv', 'tags,amount,date,type,category,description,propertyId\r\n"?",,,,,,'],
])('values that no request has are not held while a row of %s is read: %s', async (type, file) => {
  const fills = Reflect.get(Turn.prototype, 'fills');
  const before = heldHeap();
  let [values, held] = [0, 0];
  Turn.prototype.fills = function (more, characters) {
    values += more;
    if (held === 0 && values > MANY_VALUES) held = heldHeap() - before;
    return fills.call(this, more, characters);
  };
  const row = file.replace('?', `[${'[1],'.repeat(MANY_VALUES / 2)}1]`);
  expectProblem(await user.post('/api/transactions/import', row, { 'content-type': type }), 'import-refused');
  Turn.prototype.fills = fills;
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThan(10 * row.length);
});

it('what a request holds counts until its work is over, also when its client has gone', async () => {
  const settings = { CLIENT_MEMORY: '2MiB', SHARE_TIMEOUT: '200ms' };
  const narrow = await startService(settings, service.settings.database.url);
  const { id } = await createProperty(user);
  const lock = await Lock.take(service, 'SELECT FROM properties WHERE id = $1 FOR UPDATE', [id]);
  const path = '/api/transactions';
  const body = JSON.stringify(transactionRequest(id)).padEnd(LONG);
  const usual = [`Authorization: Bearer ${user.token!}`, 'Content-Type: application/json'];
  const wire = (await Wire.open(narrow.url)).send(requestText(`POST ${path} HTTP/1.1`, usual, body));
  await lock.waitedForBy(1);
  wire.destroy();
  await until(() => narrow.app.get(Requests).connections.size === 0);
  const again = narrow.caller(user.id);
  expectProblem(await again.post(PATH, 'x'.repeat(LONG)), 'too-many-requests', PATH);
  await lock.release();
  await until(async () => (await again.post(PATH, 'x'.repeat(LONG))).status === 400);
});

it('long bodies may arrive so many at once of one token, before anybody knows whose it is', async () => {
  const narrow = await startService({ CLIENT_MEMORY: '1MiB' }, service.settings.database.url);
  const { lock, bytes } = await slowDeletion(service, user);
  const other = await narrow.account();
  const wires: Wire[] = [];
  for (let sent = 1; sent <= 3; sent++) {
    wires.push((await Wire.open(narrow.url)).send(bytes + whole('')));
    await lock.waitedForBy(sent); // behind which the second head waits
  }
  expect((await other.post(PATH, 'x'.repeat(LONG))).status).toBe(400);
  await lock.release();
  for (const wire of wires) await wire.response();
  expectProblem(await wires[2]!.response(), 'too-many-requests', PATH);
  for (const wire of wires.slice(0, 2)) wire.send(BODY);
  for (const wire of wires.slice(0, 2)) expect((await wire.response()).status).toBe(400);
  expect((await narrow.caller(user.id).post(PATH, BODY)).status).toBe(400);
});
