import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { API_DOCUMENT } from './support/api-document.js';

/** The modules of the page that need no browser. They are plain JavaScript, so that what they take is said here. */
const load = async <T>(name: string): Promise<T> => (await import(`../src/docs/page/${name}.js`)) as T;

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly answer?: 'json' | 'text';
}
interface Samples {
  readonly SAMPLES: Record<'curl' | 'TypeScript' | 'Python', (request: Request) => string>;
}
interface Fields {
  readonly describe: (openapi: unknown, schema: unknown, options?: { ofRequest: boolean }) => string;
}
type Own = Record<'id' | 'method' | 'path', string> & { parameters: { name: string; example: number }[] };
interface Rows {
  created(location: string): void;
  deleted(path: string): void;
  signedUp(credentials: object): void;
  idFor(operation: Own, name: string): unknown;
  bodyFor(operation: { id: string }, example: object | string): string;
}

const URL_OF = 'http://127.0.0.1:8080/api/properties';
const TOKEN = 'the.token.of-the-environment';

const BODIES = [
  '{ "name": "Ada\'s", "basePrice": 1.5, "active": true, "notes": null }',
  '{"name":"`${process.exit(1)}` \\\\ $(id) \\"quoted\\" \\u0041 \\n"}',
  '{"name":"Zoë 🏡 ½","tags":[]}',
  '{"amount": 99999999999999999.99, "id": 9007199254740993}',
  '{"amount": 1.50}',
  '{ not JSON: `${1}` \'"\\ }',
  '@/etc/hostname',
];

const request = (body: string): Request => ({
  method: 'POST',
  url: URL_OF,
  headers: { authorization: 'Bearer', 'if-match': '"1"', 'content-type': 'application/json' },
  body,
  answer: 'json',
});

/** The same JSON, or the same text where it is none, or where a digit would be lost. */
const expectSame = (sent: string, body: string): void => {
  if (body.includes('amount') || !body.startsWith('{') || body.includes('not JSON')) expect(sent).toBe(body);
  else expect(JSON.parse(sent)).toEqual(JSON.parse(body));
};

describe('a sample of the reference page', () => {
  it.each(BODIES)('in curl sends what was typed, whatever a shell makes of it: %s', async (body) => {
    const { SAMPLES } = await load<Samples>('samples');
    const folder = mkdtempSync(join(tmpdir(), 'property-finance-sample-'));
    try {
      writeFileSync(join(folder, 'curl'), '#!/bin/sh\nfor one; do printf "%s\\0" "$one"; done\n', {
        mode: 0o755,
      });
      const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, TOKEN };
      const given = execFileSync('sh', ['-c', SAMPLES.curl(request(body))], { env, encoding: 'utf8' });
      expect(given.split('\0').slice(0, -1)).toEqual([
        ...['-X', 'POST', URL_OF, '-H', `Authorization: Bearer ${TOKEN}`, '-H', 'If-Match: "1"'],
        ...['-H', 'Content-Type: application/json', '--data-raw', body],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(BODIES)('in TypeScript sends what was typed, digit for digit: %s', async (body) => {
    const { SAMPLES } = await load<Samples>('samples');
    const sent: [string, RequestInit & { body: string }][] = [];
    const fetched = (...call: (typeof sent)[number]): object => {
      sent.push(call);
      return { ok: true, json: () => ({}) };
    };
    const code = `(async () => { ${SAMPLES.TypeScript(request(body))} })()`;
    await (runInNewContext(code, { fetch: fetched, process: { env: { TOKEN } } }) as Promise<void>);
    const [[url, { body: text, ...options }]] = sent as [(typeof sent)[number]];
    expect({ url, ...options }).toEqual({
      url: URL_OF,
      method: 'POST',
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        'If-Match': '"1"',
        'Content-Type': 'application/json',
      },
    });
    expectSame(text, body);
  });

  it('in Python has its words for true, false and null, outside of texts alone', async () => {
    const { SAMPLES } = await load<Samples>('samples');
    const sample = SAMPLES.Python(request('{"a":[true,false,null],"b":"true, null"}'));
    expect(sample).toContain('True,\n            False,\n            None\n');
    expect(sample).toContain('"b": "true, null"');
    expect(SAMPLES.Python(request(BODIES[3]!))).toContain('data="{\\"amount\\": 99999999999999999.99');
  });
});

describe('the fields on the reference page', () => {
  const fieldsOf = (name: string): Record<string, object> =>
    (API_DOCUMENT.components?.schemas?.[name] as { properties?: Record<string, object> }).properties ?? {};

  it.each([
    ['SignUpRequest', 'username', 'string · 3 to 50 characters'],
    ['PropertyRequest', 'basePrice', 'decimal number · 0 to 99,999,999.99 · at most 2 decimals'],
    ['PropertyRequest', 'maxGuests', '32-bit integer · 1 to 100'],
    ['TransactionRequest', 'propertyId', '64-bit integer'],
    [
      'TransactionRequest',
      'amount',
      'decimal number · at least 0.01 · below 100,000,000,000,000,000 · at most 2 decimals',
    ],
    ['TransactionRequest', 'status', 'string · "PENDING" when left out'],
    ['TransactionRequest', 'tags', 'list of strings of at most 255 characters · at most 1,000 elements'],
    ['TransactionRequest', 'metadata', 'object of strings · at most 1,000 members'],
    ['TransactionSearchRequest', 'page', '32-bit integer · at least 0 · 0 when left out'],
  ])('are told in words: %s.%s', async (schema, field, words) => {
    const { describe: tell } = await load<Fields>('fields');
    expect(tell(API_DOCUMENT, fieldsOf(schema)[field], { ofRequest: true })).toBe(words);
  });

  it('never show a pattern, and say of answers what may be null', async () => {
    const { describe: tell } = await load<Fields>('fields');
    for (const name of Object.keys(API_DOCUMENT.components?.schemas ?? {}))
      for (const field of Object.values(fieldsOf(name)))
        expect(tell(API_DOCUMENT, field)).not.toMatch(/[\\^$]/);
    expect(tell(API_DOCUMENT, fieldsOf('TransactionResponse')['dueDate'])).toBe('date-time or null');
  });
});

describe('the examples on the reference page', () => {
  const ofProperty = (method: string): Own => ({
    id: '',
    method,
    path: '/api/properties/{id}',
    parameters: [{ name: 'id', example: 1 }],
  });

  it('hold the ids of what was created, and no longer those of what was deleted', async () => {
    const { OwnRows } = await load<{ OwnRows: new () => Rows }>('own-rows');
    const rows = new OwnRows();
    const ids = (): unknown[] =>
      ['GET', 'PUT', 'DELETE'].map((method) => rows.idFor(ofProperty(method), 'id'));
    expect(ids()).toEqual([1, '', '']);
    rows.created('/api/properties/9007199254740993');
    expect(ids()).toEqual(Array(3).fill('9007199254740993'));
    expect(rows.bodyFor({ id: 'createTransaction' }, { propertyId: 1, bookingId: 1 })).toBe(
      '{\n  "propertyId": 9007199254740993,\n  "bookingId": 1\n}',
    );
    expect(rows.bodyFor({ id: 'importTransactions' }, 'date,propertyId\r\n2026,1,1,\r\n2026,1,1,')).toBe(
      'date,propertyId\r\n2026,9007199254740993,1,\r\n2026,9007199254740993,1,',
    );
    rows.deleted('/api/properties/9007199254740993');
    expect(ids()).toEqual([1, '', '']);
  });

  it('are of an account that nobody has, which the sign-in then knows', async () => {
    const { OwnRows } = await load<{ OwnRows: new () => Rows }>('own-rows');
    const [rows, others] = [new OwnRows(), new OwnRows()];
    const example = { email: 'ada@example.com', username: 'ada' };
    const [one, other] = [rows, others].map((own) => own.bodyFor({ id: 'signUp' }, example));
    expect(one).toMatch(/"email": "(ada-\w{4,6})@example\.com",\n {2}"username": "\1"/);
    expect(other).not.toBe(one);
    rows.signedUp({ username: 'eve', password: 'secret of eve' });
    expect(JSON.parse(rows.bodyFor({ id: 'signIn' }, example))).toEqual({
      username: 'eve',
      password: 'secret of eve',
    });
  });
});
