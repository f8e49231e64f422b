import { readdirSync, readFileSync } from 'node:fs';
import { OPERATIONS, operationOf } from './support/api-document.js';

const HTTP_FILE = readFileSync('examples/property-finance.http', 'utf8');
const BRUNO = readdirSync('examples/bruno', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.bru'))
  .map((name) => readFileSync(`examples/bruno/${name}`, 'utf8'));

/** The status that a request expects, and its method and path. */
const OF_HTTP_FILE = /^# @expects (\d{3}).*\n(?:[#@].*\n|\n)*([A-Z]+) \{\{baseUrl\}\}(\S+)$/gm;
const OF_BRUNO = /^([a-z]+) \{\n {2}url: \{\{baseUrl\}\}(\S+)\n[^]*^ {2}res\.status: \w+ (\d{3})/m;

/** npm run test:examples sends the requests with httpyac and with Bruno. */
describe.each([
  {
    name: 'the .http file',
    texts: [HTTP_FILE],
    count: HTTP_FILE.split(/^###/m).length - 1,
    requests: [...HTTP_FILE.matchAll(OF_HTTP_FILE)].map(([, status, method, path]) => [method, path, status]),
  },
  {
    name: 'the Bruno collection',
    texts: BRUNO,
    count: BRUNO.filter((text) => text.includes('type: http')).length,
    requests: BRUNO.flatMap((text) => {
      const [, method, path, status] = OF_BRUNO.exec(text) ?? [];
      return method === undefined ? [] : [[method.toUpperCase(), path, status]];
    }),
  },
])('$name', ({ texts, count, requests }) => {
  it('has an operation of the API and its status in each request, and every operation', () => {
    expect(requests).toHaveLength(count);
    const found = requests.map(([method = '', path = '', status = '']) => {
      const operation = operationOf(method, path)?.operation;
      return status in (operation?.responses ?? {}) ? operation?.operationId : `${method} ${path} ${status}`;
    });
    expect([...new Set(found)].sort()).toEqual(
      OPERATIONS.map(({ operation }) => operation.operationId).sort(),
    );
  });

  it('addresses the quickstart', () => {
    expect(texts.join()).toMatch(/\bbaseUrl(?: =|:) http:\/\/127\.0\.0\.1:8080$/m);
    expect(texts.join()).toMatch(/\badminUsername(?: =|:) admin$/m);
  });
});
