import { setTimeout as sleep } from 'node:timers/promises';
import { propertyRequest } from './support/factories.js';
import { problemFaults } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { Wire, type WireAnswer } from './support/wire.js';

/** How long an answer that must not come is waited for, in milliseconds. */
const QUIET = 60;

let service: Service;
let user: Account;
let authorization: string;
/** A request of its own, which stands where a body does. Its answer would carry its id. */
let hidden: string;

beforeAll(async () => {
  service = await startService({ REQUEST_TIMEOUT: '1s' });
  user = await service.account();
  authorization = `Authorization: Bearer ${user.token!}`;
  hidden = `GET /api/users/me HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: hidden\r\n${authorization}\r\n\r\n`;
});
afterAll(() => service.stop());

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

const head = (...fields: string[]): string =>
  [
    'POST /api/properties HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    authorization,
    ...fields,
  ]
    .map((line) => `${line}\r\n`)
    .join('');

/** Two ways to end the body, one of which would take what is hidden in it for a request. */
const FORMS = {
  'that chunks end before what its length says': () => {
    const body = `0\r\n\r\n${hidden}`;
    return { length: body.length, body };
  },
  'that a length ends before its chunks do': () => {
    const line = `${hidden.length.toString(16)}\r\n`;
    return { length: line.length, body: `${line}${hidden}\r\n0\r\n\r\n` };
  },
};

/** Ways to say `Transfer-Encoding: chunked` that one server understands and another does not. */
const TRANSFER_ENCODINGS: Readonly<Record<string, string>> = {
  'as it should be': 'Transfer-Encoding: chunked',
  'in capitals': 'TRANSFER-ENCODING: CHUNKED',
  'without a blank': 'Transfer-Encoding:chunked',
  'behind a tab': 'Transfer-Encoding:\tchunked',
  'before a blank': 'Transfer-Encoding: chunked ',
  'with a blank before the colon': 'Transfer-Encoding : chunked',
  'with a tab before the colon': 'Transfer-Encoding\t: chunked',
  'behind a vertical tab': 'Transfer-Encoding: \u000bchunked',
  'before a vertical tab': 'Transfer-Encoding: chunked\u000b',
  'before a NUL': 'Transfer-Encoding: chunked\u0000',
  'behind a no-break space': 'Transfer-Encoding: \u00a0chunked',
  'in quotes': 'Transfer-Encoding: "chunked"',
  misspelt: 'Transfer-Encoding: xchunked',
  'cut short': 'Transfer-Encoding: chunk',
  'with a parameter': 'Transfer-Encoding: chunked;q=1',
  'behind another': 'Transfer-Encoding: identity, chunked',
  'behind a compression': 'Transfer-Encoding: gzip, chunked',
  'before another': 'Transfer-Encoding: chunked, identity',
  'before nothing': 'Transfer-Encoding: chunked,',
  'twice in a field': 'Transfer-Encoding: chunked, chunked',
  'twice in two fields': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'and then not': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'after it was not': 'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'in a folded field': 'Transfer-Encoding:\r\n chunked',
  'in the fold of another field': 'X-Field: a\r\n Transfer-Encoding: chunked',
  'behind a bare line feed': 'X-Field: a\nTransfer-Encoding: chunked',
  'behind a bare carriage return': 'X-Field: a\rTransfer-Encoding: chunked',
  'before a bare carriage return': 'Transfer-Encoding: chunked\rX: b',
  'behind a blank at the start of the line': ' Transfer-Encoding: chunked',
  'with nothing': 'Transfer-Encoding: ',
};

/** Ways to give a length that one server reads and another does not; `N` is the length. */
const LENGTHS: Readonly<Record<string, string>> = {
  'twice, differently': 'Content-Length: N\r\nContent-Length: 0',
  'twice, the same': 'Content-Length: N\r\nContent-Length: N',
  'twice in a field': 'Content-Length: N, N',
  'with a sign': 'Content-Length: +N',
  'with a blank in it': 'Content-Length: 0 N',
  'in base 16': 'Content-Length: 0xN',
  'with a fraction': 'Content-Length: N.0',
  'with an exponent': 'Content-Length: 0e0N',
  'before letters': 'Content-Length: Nx',
  'of nothing': 'Content-Length: ',
  'past 64 bits': 'Content-Length: 18446744073709551617',
  'in other digits': 'Content-Length: \u00b2',
  'behind a vertical tab': 'Content-Length: \u000bN',
  'with a blank before the colon': 'Content-Length : N',
  'in a folded field': 'Content-Length:\r\n N',
  'behind a bare line feed': 'X-Field: a\nContent-Length: N',
  'behind a bare carriage return': 'X-Field: a\rContent-Length: N',
};

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

describe.each(Object.entries(FORMS))('a request so made %s', (_, form) => {
  it.each(Object.entries(TRANSFER_ENCODINGS))(
    'with a length, and chunked %s, is refused once, and the connection is closed',
    async (...[, field]) => {
      const { length, body } = form();
      await expectOneRefusal(`${head(`Content-Length: ${length}`, field)}\r\n${body}`);
      await expectOneRefusal(`${head(field, `Content-Length: ${length}`)}\r\n${body}`);
    },
  );
});

describe('a length', () => {
  it.each(Object.entries(LENGTHS))(
    'given %s is refused once, and the connection is closed',
    async (_, field) => {
      await expectOneRefusal(`${head(field.replaceAll('N', String(hidden.length)))}\r\n${hidden}`);
    },
  );

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
  const size = (): string => hidden.length.toString(16);

  it.each<[string, () => string]>([
    ['a size in base 16 with its prefix', () => `0x${size()}\r\n${hidden}\r\n0\r\n\r\n`],
    ['a size with a sign', () => `+${size()}\r\n${hidden}\r\n0\r\n\r\n`],
    ['a size before a blank', () => `${size()} \r\n${hidden}\r\n0\r\n\r\n`],
    ['a size behind a blank', () => ` ${size()}\r\n${hidden}\r\n0\r\n\r\n`],
    ['a size with a bare line feed', () => `${size()}\n${hidden}\r\n0\r\n\r\n`],
    ['a size with a bare carriage return', () => `${size()}\r${hidden}\r\n0\r\n\r\n`],
    ['no size at all', () => `\r\n${hidden}\r\n0\r\n\r\n`],
    ['a size past 64 bits', () => `1000000000000000${size()}\r\n${hidden}\r\n0\r\n\r\n`],
    ['a line feed in an extension', () => `2;a=\n{}\r\n0\r\n\r\n${hidden}`],
    ['a carriage return in an extension', () => `2;a=\rb\r\n{}\r\n0\r\n\r\n${hidden}`],
    ['a bare line feed behind a chunk', () => `2\r\n{}\n0\r\n\r\n${hidden}`],
    ['nothing behind a chunk', () => `2\r\n{}0\r\n\r\n${hidden}`],
    ['more than it says', () => `2\r\n{}${hidden}\r\n0\r\n\r\n`],
    ['a bare line feed at its end', () => `2\r\n{}\r\n0\n\n${hidden}`],
    ['a length in a trailer', () => `2\r\n{}\r\n0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
    ['a trailer without a colon', () => `2\r\n{}\r\n0\r\n${hidden}`],
  ])('with %s is refused once, and the connection is closed', async (_, chunks) => {
    await expectOneRefusal(chunked(chunks()));
  });

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
  it.each<[string, () => string]>([
    ['lines that end in a bare line feed', () => hidden.replaceAll('\r\n', '\n')],
    ['one line that ends in a bare line feed', () => hidden.replace('localhost\r\n', 'localhost\n')],
    ['one line that ends in a bare carriage return', () => hidden.replace('localhost\r\n', 'localhost\r')],
    ['an end of bare line feeds', () => hidden.replace(/\r\n\r\n$/, '\n\n')],
    ['a tab in the first line', () => hidden.replace('GET ', 'GET\t')],
    ['a blank at the end of the first line', () => hidden.replace('HTTP/1.1\r', 'HTTP/1.1 \r')],
    ['a blank before the method', () => ` ${hidden}`],
    ['a field without a name', () => hidden.replace('Host:', ': x\r\nHost:')],
    ['a blank line of blanks', () => hidden.replace('Host:', ' \r\nHost:')],
    ['a carriage return in a field', () => hidden.replace('hidden', 'a\rb')],
    ['a control character in a field', () => hidden.replace('hidden', 'a\u0007b')],
    ['a control character in the target', () => hidden.replace('/me', '/me\u0001')],
  ])('with %s is refused once, and the connection is closed', async (_, text) => {
    await expectOneRefusal(`${text()}${hidden}`);
  });

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
