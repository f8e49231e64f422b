import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { quickstartEnvironment } from '../src/quickstart/data.js';
import { outcomeOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { Service, startService } from './support/service.js';

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
};

/** Path → file: all that is public while the documentation is switched on, beside the YAML document. */
const SERVED: [path: string, file: string][] = [
  ['/docs/openapi.json', 'openapi.json'],
  ...readdirSync('src/docs/page').map((name): [string, string] => [
    { 'page.html': '/docs', 'favicon.ico': '/favicon.ico' }[name] ?? `/docs/${name}`,
    `src/docs/page/${name}`,
  ]),
];
const PATHS = [...SERVED.map(([path]) => path), '/docs/openapi.yaml'];

const [UNAUTHORIZED, UNKNOWN] = ['401 authentication-required', '404 not-found'];
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The outcomes without a token and with one, and the Allow of a 405. */
async function refusals(service: Service, method: string, path: string, headers = {}): Promise<string[]> {
  const authorization = `Bearer ${(await service.account()).token!}`;
  const refused: string[] = [];
  for (const sent of [headers, { ...headers, authorization }]) {
    const response = await service.anonymous.send(method, path, { headers: sent });
    refused.push(`${outcomeOf(response)} ${response.headers.get('allow') ?? ''}`.trim());
  }
  return refused;
}

describe('with API_DOCS=true', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ API_DOCS: 'true', CORS_ALLOWED_ORIGINS: 'https://app.example.com' });
  });

  const get = (path: string, headers = {}): Promise<HttpResponse> => service.anonymous.get(path, headers);

  it.each(SERVED)('GET %s answers 200 with %s', async (path, file) => {
    const response = await fetch(service.url + path);
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.status).toBe(200);
    expect(body.equals(readFileSync(file))).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-cache',
      'content-security-policy': path === '/docs' ? PAGE_POLICY : API_POLICY,
      'content-type': TYPES[file.split('.').at(-1)!],
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.has('cross-origin-opener-policy')).toBe(path === '/docs');
    expect(response.headers.has('permissions-policy')).toBe(path === '/docs');
  });

  it('GET /docs/openapi.yaml answers 200 with the document of openapi.json', async () => {
    const { headers, text } = await get('/docs/openapi.yaml');
    expect(headers.get('content-type')).toBe('application/yaml');
    expect(load(text)).toEqual(JSON.parse(readFileSync('openapi.json', 'utf8')));
  });

  it('the page refers to served paths, each of them, and to nothing else', async () => {
    const own = PATHS.filter((path) => !path.includes('openapi') && !path.endsWith('.ico'));
    const texts = await Promise.all(own.map(async (path) => (await get(path)).text));
    const named = texts.flatMap((text) => [
      ...Array.from(text.matchAll(/(?:(?:href|src)="|fetch\(')(docs[^"']*)/g), ([, path]) => `/${path!}`),
      ...Array.from(text.matchAll(/(?:from|url\() ?'(?:\.\/)?([\w.-]+)'/g), ([, name]) => `/docs/${name!}`),
    ]);
    expect(new Set(named)).toEqual(new Set(PATHS.filter((path) => !path.endsWith('.ico'))));
    for (const text of texts) expect(text).not.toMatch(/(?:src|href)="(?!docs|#)|url\(['"]?(?:https?:|\/\/)/);
  });

  it.each(['/docs', '/docs/openapi.yaml'])('%s answers HEAD as GET, and 304 to its ETag', async (path) => {
    const { headers } = await get(path);
    const head = await service.anonymous.send('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'etag', 'content-security-policy'])
      expect([name, head.headers.get(name)]).toEqual([name, headers.get(name)]);
    const known = await get(path, { 'if-none-match': `"x", W/${headers.get('etag')!}` });
    expect([known.status, known.text, known.headers.get('content-type')]).toEqual([304, '', null]);
    expect(known.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'));
    expect((await get(path, { 'if-none-match': '"x"' })).status).toBe(200);
  });

  it.each<[outcome: string, method: string, paths: string[], accept: string]>([
    ['404 not-found', 'GET', ['/docs/', '/docs/page.html', '/docs/page.js.map', '/docs/../package.json'], ''],
    ['404 not-found', 'GET', ['/docs/..%2fpackage.json', '/docs//openapi.json', '/DOCS', '/docs;x'], ''],
    ['404 not-found', 'GET', ['/', '/openapi.json'], '*/*'],
    ['404 not-found', 'GET', ['/'], 'text/*'],
    ['404 not-found', 'GET', ['/'], 'text/htmlx'],
    ['404 not-found', 'POST', ['/'], BROWSER],
    ['405 method-not-allowed GET, HEAD', 'POST', ['/docs', '/docs/openapi.json'], ''],
    ['405 method-not-allowed GET, HEAD', 'OPTIONS', ['/docs', '/docs/openapi.json'], ''],
  ])('answers 401, and %s with a token, to %s %j with Accept: %p', async (outcome, method, paths, accept) => {
    for (const path of paths)
      expect(await refusals(service, method, path, { accept })).toEqual([UNAUTHORIZED, outcome]);
  });

  it.each(['GET', 'HEAD'])('%s / redirects a browser to the page, whatever its token', async (method) => {
    for (const authorization of [[], ['authorization', 'Bearer stale']]) {
      const response = await service.anonymous.send(method, '/', {
        headers: ['accept', BROWSER, ...authorization],
      });
      expect([response.status, response.text]).toEqual([302, '']);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        location: '/docs',
        vary: 'Origin, Accept',
        'cache-control': 'no-store',
        'content-security-policy': API_POLICY,
      });
    }
  });
});

describe('without API_DOCS', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));

  it.each([...PATHS, '/'])('%s answers 401, and 404 with a token', async (path) => {
    for (const method of ['GET', 'POST'])
      expect(await refusals(service, method, path, { accept: BROWSER })).toEqual([UNAUTHORIZED, UNKNOWN]);
  });
});

it('GET /docs answers 200 without a database', async () => {
  const { anonymous } = await Service.at('postgres://127.0.0.1:1/none', { API_DOCS: 'true' });
  expect((await anonymous.get('/docs', { authorization: 'Bearer x.y.z' })).status).toBe(200);
});

it.each([
  ['false', 'false'],
  [' ', 'true'],
])('the quickstart with API_DOCS=%p sets %p', (given, expected) => {
  const folder = process.env['TEST_FOLDER']!;
  expect(quickstartEnvironment(folder, 'postgres://x/y', { API_DOCS: given })['API_DOCS']).toBe(expected);
});
