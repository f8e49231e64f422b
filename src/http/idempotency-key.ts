import { createHash, type Hash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Fault } from '../common/validation/field.js';
import type { IdempotentRequest } from '../database/idempotency-keys.js';

const HASHES = new WeakMap<FastifyRequest, Hash>();

/** Adds bytes of the body in their order. They are hashed only under a key. */
export function addToFingerprint(request: FastifyRequest, bytes: Buffer): void {
  if (request.headers['idempotency-key'] !== undefined) fingerprintOf(request).update(bytes);
}

function fingerprintOf(request: FastifyRequest): Hash {
  const { method, url, mediaType } = request;
  const hash = HASHES.get(request) ?? createHash('sha256').update(`${method} ${url}\n${mediaType}\n`);
  HASHES.set(request, hash);
  return hash;
}

/** A quoted string of structured fields (RFC 8941, section 3.3.3), as the draft has it, or the bare key, as most send it. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\]){1,255})"$/;
export const BARE_KEY = /^[!#-+\--~]{1,255}$/;

/**
 * Parameter decorator: the header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07), or its fault; undefined
 * without it.
 */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): IdempotentRequest | Fault | undefined => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const header = request.headers['idempotency-key'];
    if (header === undefined) return undefined;
    const [text, quoted] = QUOTED.exec(String(header)) ?? BARE_KEY.exec(String(header)) ?? [];
    const key = quoted?.replaceAll(/\\(.)/g, '$1') ?? text;
    if (key === undefined)
      return new Fault([['Idempotency-Key', 'must be 1 to 255 ASCII characters, no space, comma or quote']]);
    return { key, fingerprint: () => fingerprintOf(request).copy().digest() };
  },
);
