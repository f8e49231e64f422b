import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_DOCUMENT } from './support/api-document.js';
import { cleanup } from './support/opened.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** Modules of the page that need no browser. They are plain JavaScript, so their types are here. */
const load = async <T>(name: string): Promise<T> => (await import(`../src/docs/page/${name}.js`)) as T;

interface Curl {
  readonly curl: (request: object) => string;
}
interface Fields {
  readonly describe: (openapi: unknown, schema: unknown, options?: { ofRequest: boolean }) => string;
}

const URL_OF = 'http://127.0.0.1:8080/api/properties';
const TOKEN = 'the.token.of-the-environment';

it.each([
  '{ "name": "Ada\'s", "basePrice": 1.50, "id": 9007199254740993 }',
  '{"name":"`${process.exit(1)}` \\\\ $(id) \\"quoted\\" \\u0041 \\n Zoë 🏡"}',
  '{ not JSON: `${1}` \'"\\ }',
  '@/etc/hostname',
])('the curl command on the reference page sends the body as typed: %s', async (body) => {
  const { curl } = await load<Curl>('curl');
  const headers = { authorization: 'Bearer', 'if-match': '"1"', 'content-type': 'application/json' };
  const folder = temporaryFolder(cleanup, 'curl');
  const script = '#!/bin/sh\nfor one; do printf "%s\\0" "$one"; done\n';
  writeFileSync(join(folder, 'curl'), script, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, TOKEN };
  const command = curl({ method: 'POST', url: URL_OF, headers, body });
  const given = execFileSync('sh', ['-c', command], { env, encoding: 'utf8' });
  expect(given.split('\0').slice(0, -1)).toEqual([
    ...['-X', 'POST', URL_OF, '-H', `Authorization: Bearer ${TOKEN}`, '-H', 'If-Match: "1"'],
    ...['-H', 'Content-Type: application/json', '--data-raw', body],
  ]);
});

describe('the fields on the reference page', () => {
  const fieldsOf = (name: string): Record<string, object> =>
    (API_DOCUMENT.components?.schemas?.[name] as { properties?: Record<string, object> }).properties ?? {};

  it.each([
    ['SignUp username', 'string · 3 to 50 characters'],
    ['Property basePrice', 'decimal number · 0 to 99,999,999.99 · at most 2 decimal places'],
    ['Property maxGuests', '32-bit integer · 1 to 100'],
    ['Transaction propertyId', '64-bit integer'],
    ['Transaction amount', 'decimal number · 0.01 to 1e17 · at most 2 decimal places'],
    ['Transaction status', 'string · default "PENDING"'],
    ['Transaction tags', 'list of strings of at most 255 characters · at most 1,000 elements'],
    ['Transaction metadata', 'object of strings · at most 1,000 members'],
    ['TransactionSearch page', '32-bit integer · at least 0 · default 0'],
  ])('are described in words: %s', async (path, words) => {
    const { describe: inWords } = await load<Fields>('fields');
    const [schema, field] = path.split(' ');
    const found = inWords(API_DOCUMENT, fieldsOf(`${schema}Request`)[field!], { ofRequest: true });
    expect(found).toBe(words.replace('1e17', '100,000,000,000,000,000'));
  });

  it('show no pattern, and which fields of a response may be null', async () => {
    const { describe: inWords } = await load<Fields>('fields');
    for (const name of Object.keys(API_DOCUMENT.components?.schemas ?? {}))
      for (const field of Object.values(fieldsOf(name)))
        expect(inWords(API_DOCUMENT, field)).not.toMatch(/[\\^$]/);
    expect(inWords(API_DOCUMENT, fieldsOf('TransactionResponse')['dueDate'])).toBe('date-time or null');
  });
});
