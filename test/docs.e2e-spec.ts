import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { quickstartEnvironment } from '../src/quickstart/data.js';
import type { Answer } from './support/client.js';
import { Launched } from './support/launched.js';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes, type WireAnswer } from './support/wire.js';

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
};

/** Path → file: all that is public while the documentation is switched on, beside the YAML document. */
const SERVED = [...readdirSync('src/docs/page').map((name) => `src/docs/page/${name}`), 'openapi.json'].map(
  (file): [path: string, file: string] => {
    const name = file.split('/').at(-1)!;
    return [{ 'page.html': '/docs', 'favicon.ico': '/favicon.ico' }[name] ?? `/docs/${name}`, file];
  },
);
const PATHS = [...SERVED.map(([path]) => path), '/docs/openapi.yaml'];

const NOT_SERVED = [
  ...['/docs/', '/docs/page.html', '/docs/page.js.map', '/docs/../package.json', '/docs/..%2fpackage.json'],
  ...['/docs//openapi.json', '/DOCS', '/docs;x', '/openapi.json'],
];

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A request with these headers and no others; no redirect is followed. */
const ask = (
  { url }: Service,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<WireAnswer> => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return sendBytes(url, requestText(`${method} ${path} HTTP/1.1`, lines), { head: method === 'HEAD' });
};

describe('with API_DOCS=true', () => {
  let service: Service;
  let user: Account;
  let token: { authorization: string };

  beforeAll(async () => {
    service = await startService({ API_DOCS: 'true', CORS_ALLOWED_ORIGINS: 'https://app.example.com' });
    user = await service.account();
    token = { authorization: `Bearer ${user.token!}` };
  });

  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    service.anonymous.get(path, headers);

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
    expect(load(text)).toEqual((await get('/docs/openapi.json')).json);
  });

  it('the page refers to served paths, each of them, and to nothing else', async () => {
    const own = PATHS.filter((path) => !path.includes('openapi') && !path.endsWith('.ico'));
    const texts = await Promise.all(own.map(async (path) => (await get(path)).text));
    const named = texts.flatMap((text) => [
      ...[...text.matchAll(/(?:href|src)="(docs[^"]*)"|fetch\('(docs[^']*)'/g)].map(
        ([, a, b]) => `/${a ?? b ?? ''}`,
      ),
      ...[...text.matchAll(/(?:from|url\() ?'(?:\.\/)?([\w.-]+)'/g)].map(([, name]) => `/docs/${name ?? ''}`),
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

  it.each(['/docs', '/docs/openapi.json'])(
    '%s answers other methods 401, and 405 with a token',
    async (path) => {
      for (const method of ['POST', 'OPTIONS']) {
        expectDocument(await service.anonymous.send(method, path), 'authentication-required', path);
        const answer = await user.send(method, path);
        expectDocument(answer, 'method-not-allowed', path);
        expect(answer.headers.get('allow')).toBe('GET, HEAD');
      }
    },
  );

  it.each(NOT_SERVED)('GET %s answers 401, and 404 with a token', async (path) => {
    const refused = await ask(service, 'GET', path);
    expectDocument(refused, 'authentication-required', path);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expectDocument(await ask(service, 'GET', path, token), 'not-found', path);
  });

  it.each(['GET', 'HEAD'])('%s / redirects a browser to the page, whatever its token', async (method) => {
    for (const authorization of [undefined, 'Bearer stale', token.authorization]) {
      const headers = { accept: BROWSER, ...(authorization && { authorization }) };
      const answer = await ask(service, method, '/', headers);
      expect([answer.status, answer.text]).toEqual([302, '']);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        location: '/docs',
        vary: 'Origin, Accept',
        'cache-control': 'no-store',
        'content-security-policy': API_POLICY,
      });
    }
  });

  it.each([
    ['GET', '*/*'],
    ['GET', 'text/*'],
    ['GET', 'text/htmlx'],
    ['POST', BROWSER],
  ])('%s / with Accept: %s answers 401, and 404 with a token', async (method, accept) => {
    expectDocument(await ask(service, method, '/', { accept }), 'authentication-required', '/');
    expectDocument(await ask(service, method, '/', { accept, ...token }), 'not-found', '/');
  });
});

describe('without API_DOCS', () => {
  let service: Service;
  let user: Account;

  beforeAll(async () => {
    service = await startService();
    user = await service.account();
  });

  it.each([...PATHS, '/'])('%s answers 401, and 404 with a token', async (path) => {
    const headers = { accept: BROWSER, authorization: `Bearer ${user.token!}` };
    expect((await ask(service, 'GET', path, { accept: BROWSER })).status).toBe(401);
    for (const method of ['GET', 'POST'])
      expect((await ask(service, method, path, headers)).status).toBe(404);
  });
});

it('GET /docs answers 200 without a database', async () => {
  const { anonymous } = await Launched.at('postgres://127.0.0.1:1/none', { API_DOCS: 'true' });
  expect((await anonymous.get('/docs', { authorization: 'Bearer x.y.z' })).status).toBe(200);
});

it.each([
  [{}, 'true'],
  [{ API_DOCS: 'false' }, 'false'],
  [{ API_DOCS: ' ' }, 'true'],
])('the quickstart with %j sets API_DOCS=%s', (env, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'property-finance-docs-'));
  expect(quickstartEnvironment(folder, 'postgres://x/y', env)['API_DOCS']).toBe(expected);
  rmSync(folder, { recursive: true });
});
