import { setTimeout as sleep } from 'node:timers/promises';
import { BROKEN_FRAMING, type Framing, framingOf } from './fuzz/framing.js';
import { propertyRequest } from './support/factories.js';
import { problemFaults } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { Wire, type WireAnswer } from './support/wire.js';

/** How long an answer that must not come is waited for, in milliseconds. */
const QUIET = 60;

let service: Service;
let user: Account;
let authorization: string;
let framing: Framing;
let head: Framing['head'];
let hidden: string;

beforeAll(async () => {
  service = await startService({ REQUEST_TIMEOUT: '1s' });
  user = await service.account();
  authorization = `Authorization: Bearer ${user.token!}`;
  framing = framingOf(authorization);
  ({ head, hidden } = framing);
});

/** Everything that comes back on one connection, up to its end or until nothing more comes. */
async function answersTo(bytes: string | Uint8Array): Promise<{ answers: WireAnswer[]; isClosed: boolean }> {
  const wire = await Wire.open(service.url);
  const answers = [await wire.send(bytes).answer()];
  const closing = wire.closed().then(() => true);
  const isClosed = await Promise.race([closing, sleep(QUIET, false)]);
  while (wire.unread.includes('\r\n\r\n')) answers.push(await wire.answer());
  expect(wire.unread).toBe('');
  wire.destroy();
  await closing;
  return { answers, isClosed };
}

async function rowCount(): Promise<number> {
  const [row] = await service.sql<{ count: number }>('SELECT count(*)::int AS count FROM properties');
  return row!.count;
}

/** Whatever it was taken for: one answer, a refusal, nothing stored, and nobody has heard of what was hidden. */
async function expectOneRefusal(bytes: string): Promise<void> {
  const before = await rowCount();
  const { answers, isClosed } = await answersTo(Buffer.from(bytes, 'latin1'));
  expect(answers.map(({ status }) => status)).toEqual([400]);
  expect(problemFaults(answers[0]!)).toEqual([]);
  expect({ isClosed, connection: answers[0]!.headers.get('connection') }).toEqual({
    isClosed: true,
    connection: 'close',
  });
  expect(await rowCount()).toBe(before);
}

it.each(Object.entries(BROKEN_FRAMING))(
  '%s is refused once, and the connection is closed',
  async (_, broken) => {
    await expectOneRefusal(broken(framing));
  },
);

describe('a length', () => {
  it('is the end of the body: what follows is the next request, and answered after it', async () => {
    const body = JSON.stringify(propertyRequest());
    const { answers } = await answersTo(`${head(`Content-Length: ${body.length}`)}\r\n${body}${hidden}`);
    expect(answers.map(({ status, headers }) => [status, headers.get('x-request-id') === 'hidden'])).toEqual([
      [200, false],
      [200, true],
    ]);
  });
});

describe('a chunked body', () => {
  const chunked = (chunks: string): string => `${head('Transfer-Encoding: chunked')}\r\n${chunks}`;

  it('may have extensions and trailers, which change nothing', async () => {
    const body = JSON.stringify(propertyRequest({ name: 'In chunks' }));
    const trailers = 'Authorization: Bearer x\r\nX-Request-Id: trailer\r\n';
    const chunks = `${body.length.toString(16)};name=value;other="x"\r\n${body}\r\n0\r\n${trailers}\r\n${hidden}`;
    const { answers } = await answersTo(chunked(chunks));
    expect(answers.map(({ status, headers }) => [status, headers.get('x-request-id')])).toEqual([
      [200, expect.not.stringMatching(/trailer|hidden/)],
      [200, 'hidden'],
    ]);
    expect(answers[0]!.text).toContain('"name":"In chunks"');
  });

  it('that breaks after it was answered is not answered once more', async () => {
    const anonymous = chunked(`zz\r\n${hidden}`).replace(`${authorization}\r\n`, '');
    const wire = await Wire.open(service.url);
    const [head] = anonymous.split('zz');
    expect((await wire.send(head!).answer()).status).toBe(401);
    wire.send('zz\r\n');
    await wire.closed();
    expect(wire.unread).toBe('');
  });

  it('over HTTP/1.0, which knows none, ends the connection with its one answer', async () => {
    const text = chunked(`2\r\n{}\r\n0\r\n\r\n${hidden}`).replace('HTTP/1.1', 'HTTP/1.0');
    const { answers, isClosed } = await answersTo(text);
    expect({ count: answers.length, isClosed, status: answers[0]!.status }).toEqual({
      count: 1,
      isClosed: true,
      status: 400,
    });
  });
});

describe('a head', () => {
  it('without a version, which is HTTP/0.9, ends the connection with its one answer', async () => {
    const { answers, isClosed } = await answersTo(hidden.replace(' HTTP/1.1', '') + hidden);
    expect({ count: answers.length, isClosed }).toEqual({ count: 1, isClosed: true });
  });

  it('may come behind empty lines', async () => {
    const { answers } = await answersTo(`\r\n\r\n${hidden}`);
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it('in pieces of single bytes is read like any other', async () => {
    const wire = await Wire.open(service.url);
    for (const byte of hidden) {
      wire.send(byte);
      await new Promise(setImmediate);
    }
    expect((await wire.answer()).status).toBe(200);
  });
});

describe('requests in one go', () => {
  const asked = (id: string, method = 'GET', target = '/api/users/me'): string =>
    hidden.replace('hidden', id).replace('GET /api/users/me', `${method} ${target}`);

  it('are each answered, in their order, and none twice', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `request-${index}`);
    const targets = ['/api/users/me', '/api/properties', '/api/users', '/none', '/api/properties/x'];
    const text = ids.map((id, index) => asked(id, 'GET', targets[index % targets.length])).join('');
    const wire = await Wire.open(service.url);
    wire.send(text);
    const answers: WireAnswer[] = [];
    while (answers.length < ids.length) answers.push(await wire.answer());
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(ids);
    expect(answers.map(({ status }) => status)).toEqual(
      ids.map((_, index) => [200, 200, 403, 404, 400][index % targets.length]),
    );
    await sleep(QUIET);
    expect(wire.unread).toBe('');
  });

  it('behind one that is broken are not read any more', async () => {
    const { answers, isClosed } = await answersTo(`${asked('first')}garbage\r\n\r\n${hidden}`);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).not.toContain('hidden');
    expect(isClosed).toBe(true);
  });

  it('behind one that asks for the end of the connection are not answered any more', async () => {
    const first = asked('first').replace('Host:', 'Connection: close\r\nHost:');
    const { answers, isClosed } = await answersTo(`${first}${hidden}`);
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(['first']);
    expect(isClosed).toBe(true);
  });
});
