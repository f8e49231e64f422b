import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { ASSETS } from '../src/docs/assets.js';
import { quickstartEnvironment } from '../src/quickstart/data.js';
import type { Answer } from './support/client.js';
import { Launched } from './support/launched.js';
import { opened } from './support/opened.js';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes } from './support/wire.js';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** The whole list of what is served, and public, when the documentation is switched on: path, type, file. */
const SERVED: readonly [path: string, type: string, file: string | undefined][] = [
  ['/docs', HTML, 'src/docs/page/page.html'],
  ['/docs/openapi.json', 'application/json', 'openapi.json'],
  ['/docs/openapi.yaml', 'application/yaml', undefined],
  ['/docs/icon.svg', 'image/svg+xml', 'src/docs/page/icon.svg'],
  ['/docs/page.css', CSS, 'src/docs/page/page.css'],
  ['/docs/operations.css', CSS, 'src/docs/page/operations.css'],
  ...[
    ...['account', 'answer', 'contents', 'dom', 'exact-json', 'fields', 'markdown', 'meaning', 'operation'],
    ...['operations', 'own-rows', 'page', 'request-form', 'samples', 'session', 'theme'],
  ].map((name): [string, string, string] => [`/docs/${name}.js`, SCRIPT, `src/docs/page/${name}.js`]),
];

const NOT_SERVED = [
  '/docs/',
  '/docs/page.html',
  '/docs/page.js.map',
  '/docs/../package.json',
  '/docs/..%2fpackage.json',
  '/docs//openapi.json',
  '/DOCS',
  '/docs;x',
  '/openapi.json',
];

const BROWSERS = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', // Chromium, Firefox, Safari
  'TEXT/HTML',
];
const PROGRAMS = [undefined, '*/*', 'application/json', 'text/*', 'text/htmlx', 'application/problem+json'];

/** Asks for `/` in these very headers, and follows no redirect. */
const knock = (
  { url }: Service,
  method: string,
  headers: Record<string, string>,
): ReturnType<typeof sendBytes> => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return sendBytes(url, requestText(`${method} / HTTP/1.1`, lines), { head: method === 'HEAD' });
};

const API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const contentOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8');

describe('the API documentation, switched on,', () => {
  let service: Service;
  let user: Account;
  let admin: Account;

  beforeAll(async () => {
    service = await startService({ API_DOCS: 'true', CORS_ALLOWED_ORIGINS: 'https://app.example.com' });
    [user, admin] = [await service.account(), await service.account('ADMIN')];
  });

  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    service.anonymous.get(path, headers);

  it.each(SERVED)('serves %s to everybody, as %s', async (path, type, file) => {
    const answer = await get(path);
    expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
      status: 200,
      type,
    });
    if (file !== undefined) expect(answer.text).toBe(contentOf(file));
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-cache',
      'content-security-policy': path === '/docs' ? PAGE_POLICY : API_POLICY,
      'cross-origin-resource-policy': 'same-origin',
      etag: `W/"${createHash('sha256').update(answer.text).digest('base64url')}"`,
      'referrer-policy': 'no-referrer',
      vary: 'Origin, Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/./) as string,
    });
  });

  it('serves the page by itself: no window that opened it, no device is within its reach', async () => {
    const { headers } = await get('/docs');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toBe(
      'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    );
    expect((await get('/docs/page.js')).headers.get('permissions-policy')).toBeNull();
  });

  it('serves the same document as YAML', async () => {
    expect(load((await get('/docs/openapi.yaml')).text)).toEqual((await get('/docs/openapi.json')).json);
  });

  it('refers to what it serves, and to nothing else', async () => {
    const own = SERVED.map(([path]) => path).filter((path) => !path.includes('openapi'));
    const texts = await Promise.all(own.map((path) => get(path)));
    const named = texts.flatMap(({ text }) => [
      ...[...text.matchAll(/(?:href|src)="(docs[^"]*)"|fetch\('(docs[^']*)'/g)].map(
        ([, a, b]) => `/${a ?? b ?? ''}`,
      ),
      ...[...text.matchAll(/(?:from|url\() ?'(?:\.\/)?([\w.-]+)'/g)].map(([, name]) => `/docs/${name ?? ''}`),
    ]);
    expect([...new Set(named)].sort()).toEqual(SERVED.map(([path]) => path).sort());
    for (const { text } of texts)
      expect(/(?:src|href)="(?!docs|#)|url\(['"]?(?:https?:|\/\/)/.exec(text)).toBeNull();
  });

  it.each(['/docs', '/docs/openapi.yaml', '/docs/page.js'])('answers HEAD for %s as GET', async (path) => {
    const [head, { headers }] = [await service.anonymous.send('HEAD', path), await get(path)];
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'content-security-policy'])
      expect([name, head.headers.get(name)]).toEqual([name, headers.get(name)]);
  });

  it.each<[string, (etag: string) => string]>([
    ['its tag', (etag) => etag],
    ['its tag as a strong one', (etag) => etag.replace('W/', '')],
    ['its tag among others', (etag) => `"x", ${etag} , W/"y"`],
    ['any tag', () => '*'],
  ])('answers 304 to whoever has it already and says so with %s', async (_, header) => {
    for (const path of ['/docs', '/docs/openapi.yaml', '/docs/page.js']) {
      const { headers } = await get(path);
      const etag = headers.get('etag')!;
      for (const method of ['GET', 'HEAD']) {
        const options = { headers: { 'if-none-match': header(etag) } };
        const again = await service.anonymous.send(method, path, options);
        expect({ method, status: again.status, text: again.text }).toEqual({ method, status: 304, text: '' });
        for (const name of ['etag', 'vary', 'cache-control', 'content-security-policy'])
          expect([name, again.headers.get(name)]).toEqual([name, headers.get(name)]);
        expect(again.headers.get('content-type')).toBeNull();
      }
    }
  });

  it.each(['"x"', 'W/"x"', '"x", "y"', ' ', '**'])(
    'answers 200 to whoever has another one: %s',
    async (header) => {
      expect((await get('/docs', { 'if-none-match': header })).status).toBe(200);
    },
  );

  it.each([
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['deflate, gzip;q=0.5, br', 'gzip'],
    ['gzip ; q=0.001', 'gzip'],
    ['gzip;q=0.000', null],
    ['gzip; q=0, identity', null],
    ['br', null],
    ['x-gzip-like', null],
  ])('is packed for whoever accepts %s as %p', async (accepted, encoding) => {
    const [plain, answer] = await Promise.all(
      ['identity', accepted].map((value) => get('/docs/openapi.yaml', { 'accept-encoding': value })),
    );
    expect(answer!.headers.get('content-encoding')).toBe(encoding);
    expect(answer!.text).toBe(plain!.text);
    expect(answer!.headers.get('etag')).toBe(plain!.headers.get('etag'));
    const length = Number(answer!.headers.get('content-length'));
    if (encoding === null) expect(length).toBe(Buffer.byteLength(plain!.text));
    else expect(length).toBeLessThan(Buffer.byteLength(plain!.text) / 4);
  });

  it.each(['/docs', '/docs/openapi.json'])('has no other method for %s', async (path) => {
    for (const method of ['POST', 'OPTIONS']) {
      expectDocument(await service.anonymous.send(method, path), 'authentication-required', path);
      const answer = await user.send(method, path);
      expectDocument(answer, 'method-not-allowed', path);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
  });

  it.each(NOT_SERVED)('does not serve %s: 401, and 404 with a token', async (path) => {
    const ask = (...headers: string[]): ReturnType<typeof sendBytes> =>
      sendBytes(service.url, requestText(`GET ${path} HTTP/1.1`, headers));
    const refused = await ask();
    expectDocument(refused, 'authentication-required', path);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(refused.headers.get('content-security-policy')).toBe(API_POLICY);
    expectDocument(await ask(`Authorization: Bearer ${user.token!}`), 'not-found', path);
  });

  it('serves the favicon where browsers look for it, too', async () => {
    const [answer, head] = [
      await fetch(`${service.url}/favicon.ico`),
      await user.send('HEAD', '/favicon.ico'),
    ];
    const icon = readFileSync(fileURLToPath(new URL('../src/docs/page/favicon.ico', import.meta.url)));
    expect(Buffer.from(await answer.arrayBuffer()).equals(icon)).toBe(true);
    for (const { status, headers } of [answer, head]) {
      expect([status, headers.get('content-type')]).toEqual([200, 'image/x-icon']);
      expect(headers.get('cache-control')).toBe('no-cache');
    }
  });

  it.each(BROWSERS)('sends a browser that asks for %s from / on to the page', async (accept) => {
    for (const method of ['GET', 'HEAD']) {
      for (const authorization of [undefined, 'Bearer stale', `Bearer ${user.token!}`]) {
        const answer = await knock(service, method, { accept, ...(authorization && { authorization }) });
        expect({ status: answer.status, text: answer.text }).toEqual({ status: 302, text: '' });
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          location: '/docs',
          vary: 'Origin, Accept',
          'cache-control': 'no-store',
          'content-security-policy': API_POLICY,
        });
      }
    }
  });

  it.each(PROGRAMS)('has nothing at / for a program that asks for %s', async (accept) => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    expectDocument(await knock(service, 'GET', headers), 'authentication-required', '/');
    const stale = await knock(service, 'GET', { ...headers, authorization: 'Bearer stale' });
    expect(stale.headers.get('www-authenticate')).toContain('invalid_token');
    const known = { ...headers, authorization: `Bearer ${user.token!}` };
    expectDocument(await knock(service, 'GET', known), 'not-found', '/');
    expect((await knock(service, 'HEAD', known)).status).toBe(404);
  });

  it('has no other method at /, whoever asks', async () => {
    for (const accept of [BROWSERS[0]!, 'application/json']) {
      expectDocument(await knock(service, 'POST', { accept }), 'authentication-required', '/');
      const answer = await knock(service, 'POST', { accept, authorization: `Bearer ${user.token!}` });
      expectDocument(answer, 'method-not-allowed', '/');
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
  });

  it('is counted in the metrics by its path', async () => {
    await get('/docs/page.css');
    const { text } = await admin.get('/actuator/prometheus');
    expect(text).toMatch(/^http_server_requests_seconds_count\{.*uri="\/docs\/page\.css".*\} \d/m);
  });
});

describe('the API documentation, switched off,', () => {
  let service: Service;
  let user: Account;

  beforeAll(async () => {
    service = await startService();
    user = await service.account();
  });

  it.each([...SERVED.map(([path]) => path), '/favicon.ico'])('leaves no trace at %s', async (path) => {
    const [refused, missing] = [await service.anonymous.get(path), await user.send('POST', path)];
    expect([refused.status, missing.status]).toEqual([401, 404]);
    expect(missing.headers.get('allow')).toBeNull();
  });

  it.each([BROWSERS[0], undefined])('has nothing at / for whoever asks for %s', async (accept) => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    for (const method of ['GET', 'HEAD', 'POST']) {
      const known = { ...headers, authorization: `Bearer ${user.token!}` };
      expect((await knock(service, method, headers)).status).toBe(401);
      expect((await knock(service, method, known)).status).toBe(404);
    }
  });
});

describe('the API documentation', () => {
  it('needs no database', async () => {
    const { anonymous } = await Launched.at('postgres://127.0.0.1:1/none', { API_DOCS: 'true' });
    for (const path of ['/docs', '/docs/openapi.json', '/docs/page.js'])
      expect((await anonymous.get(path, { authorization: 'Bearer x.y.z' })).status).toBe(200);
  });

  it('is read again when it could not be read once', async () => {
    const read = jest.spyOn(ASSETS['/docs/page.css']!, 'read').mockRejectedValueOnce(new Error('EMFILE'));
    opened(() => read.mockRestore());
    const { anonymous } = await Launched.at('postgres://127.0.0.1:1/none', { API_DOCS: 'true' });
    const answers: string[] = [];
    for (let left = 3; left > 0; left--) {
      const { status, text } = await anonymous.get('/docs/page.css');
      answers.push(status === 200 ? text : String(status));
    }
    expect(read).toHaveBeenCalledTimes(2);
    const content = contentOf('src/docs/page/page.css');
    expect(answers).toEqual(['500', content, content]);
  });

  it.each([
    ['switched on', {}, 'true'],
    ['switched off where the environment says so', { API_DOCS: 'false' }, 'false'],
    ['switched on where it is blank', { API_DOCS: ' ' }, 'true'],
  ])('is %s in the quickstart', (_, env, apiDocs) => {
    const folder = mkdtempSync(join(tmpdir(), 'property-finance-docs-'));
    expect(quickstartEnvironment(folder, 'postgres://x/y', env)['API_DOCS']).toBe(apiDocs);
    rmSync(folder, { recursive: true });
  });
});
