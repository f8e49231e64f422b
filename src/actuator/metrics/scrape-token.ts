import type { FastifyRequest } from 'fastify';
import { Gauge, Registry } from 'prom-client';
import { bearerToken } from '../../access/bearer-token.js';

/**
 * From when to when the token is good that this scrape was made with: whoever renews it may fail to, which nobody else
 * would tell. METRICS_TOKEN does not expire, and has none of this.
 */
export function scrapeTokenMetrics(request: FastifyRequest): Registry {
  const registry = new Registry();
  if (request.caller === null) return registry;
  const { iat, exp } = claimsOf(bearerToken(request) ?? '');
  const registers = [registry];
  const help = 'in seconds since 1970; nothing under METRICS_TOKEN.';
  new Gauge({
    name: 'scrape_token_issued_timestamp_seconds',
    help: `When the token of this scrape was issued, ${help}`,
    registers,
  }).set(iat);
  new Gauge({
    name: 'scrape_token_expiry_timestamp_seconds',
    help: `When the token of this scrape expires, ${help}`,
    registers,
  }).set(exp);
  return registry;
}

/** Of a token that the guard has verified. */
function claimsOf(token: string): { iat: number; exp: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as ReturnType<
    typeof claimsOf
  >;
}
