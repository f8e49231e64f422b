import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { type Asset, ASSETS, PAGE } from './assets.js';
import { redirectBrowsers } from './redirect-browsers.js';
import { isListed } from '../http/edge/representation.js';
import { varyBy } from '../http/edge/negotiation.js';

/** The paths that are open to everybody while the documentation is switched on. */
export const DOCS_PATHS: readonly string[] = ['/', ...Object.keys(ASSETS)];

/** Scripts, styles and calls of this origin alone, and nothing that is written into the page itself. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ASSET_HEADERS = { 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'same-origin' };
const PAGE_HEADERS = {
  ...ASSET_HEADERS,
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** An asset as it goes out. */
interface Prepared {
  readonly type: string;
  readonly tag: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

/** Serves the reference page, the API document and all that the page is made of. */
export function serveDocs(fastify: FastifyInstance): void {
  for (const [url, asset] of Object.entries(ASSETS)) {
    const prepared = whenFirstAsked(() => prepare(asset));
    const onSend = replaceHeaders(url === PAGE ? PAGE_HEADERS : ASSET_HEADERS);
    fastify.get(url, { onSend }, async (request, reply) => send(await prepared(), request, reply));
  }
  redirectBrowsers(fastify, PAGE);
}

/** Does the work once. Only a result is kept: what has failed is tried again by whoever asks next. */
function whenFirstAsked<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () =>
    (result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    }));
}

/** Comes behind the hook that gives every answer the headers of an API. */
function replaceHeaders(headers: Record<string, string>): onSendHookHandler {
  return (_request, reply, payload, done) => {
    if (reply.statusCode < 400) reply.headers(headers);
    done(null, payload);
  };
}

async function prepare(asset: Asset): Promise<Prepared> {
  const bytes = Buffer.from(await asset.read());
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { type: asset.type, tag: `"${digest}"`, bytes, gzipped: await promisify(gzip)(bytes) };
}

function send(prepared: Prepared, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { type, tag, bytes, gzipped } = prepared;
  const { 'if-none-match': known, 'accept-encoding': encodings } = request.headers;
  reply.headers({ etag: `W/${tag}`, vary: varyBy('Accept-Encoding', reply) }); // weak: it serves both encodings
  if (isListed(tag, known)) return reply.code(304).send();
  reply.header('content-type', type);
  return takesGzip(encodings) ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(bytes);
}

function takesGzip(header: string | string[] = ''): boolean {
  const codings = [header].flat().join().toLowerCase().split(',');
  return codings.some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.test(coding));
}
