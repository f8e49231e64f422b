import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { projectFolder } from '../config/build-info.js';
import { varyBy } from '../http/negotiation.js';
import { isListed } from '../http/representation.js';

const PAGE = '/docs';

/** Scripts, styles and calls of this origin alone, and no script within the page itself. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ASSET_HEADERS = { 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'same-origin' };
const PAGE_HEADERS = {
  ...ASSET_HEADERS,
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.yaml': 'application/yaml',
};

/** Serves the reference page, its parts and the API document to everybody. No path of a request names a file. */
export function serveDocs(fastify: FastifyInstance): void {
  const folder = new URL('page/', import.meta.url);
  const paths: Readonly<Record<string, string>> = { 'page.html': PAGE, 'favicon.ico': '/favicon.ico' };
  for (const name of readdirSync(folder))
    serve(fastify, paths[name] ?? `/docs/${name}`, extname(name), readFileSync(new URL(name, folder)));
  const document = readFileSync(join(projectFolder(), 'openapi.json'));
  serve(fastify, '/docs/openapi.json', '.json', document);
  serve(fastify, '/docs/openapi.yaml', '.yaml', document); // YAML 1.2 includes JSON
  fastify.addHook('onRequest', redirectBrowsers);
}

function serve(fastify: FastifyInstance, url: string, extension: string, bytes: Buffer): void {
  const type = TYPES[extension] ?? '';
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  const own = url === PAGE ? PAGE_HEADERS : ASSET_HEADERS;
  // Runs after the hook that gives every response the headers of an API.
  const onSend: onSendHookHandler = (_request, reply, payload, done) => {
    if (reply.statusCode < 400) reply.headers(own);
    done(null, payload);
  };
  fastify.get(url, { onSend, config: { public: true } }, ({ headers }, reply) => {
    reply.header('etag', tag);
    if (isListed(tag, headers['if-none-match'])) return reply.code(304).send();
    return reply.type(type).send(bytes);
  });
}

/** Sends a browser from `/` to the page. To a program, which does not ask for HTML by name, `/` is an unknown path. */
function redirectBrowsers(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const isBrowser = /\btext\/html\b/i.test(request.headers.accept ?? '');
  if (isBrowser && request.url === '/' && ['GET', 'HEAD'].includes(request.method))
    void reply.header('vary', varyBy('Accept', reply)).redirect(PAGE);
  else done();
}
