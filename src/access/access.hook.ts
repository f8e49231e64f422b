import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound, ProblemError } from '../http/problem/problem.js';
import { pathOf } from '../http/server/target.js';
import { requireAccess } from './access.guard.js';
import { accessOf, accessOfUnknown } from './access-rules.js';
import type { AuthenticatedUser } from './caller.js';

/** Who sends this request: null without a token. Throws authentication-required for a token that is not valid. */
export type Authenticate = (request: FastifyRequest) => Promise<AuthenticatedUser | null>;

export interface AccessOptions {
  readonly authenticate: Authenticate;
  /** Whether a request carries METRICS_TOKEN. */
  readonly hasMetricsToken: (request: FastifyRequest) => boolean;
  /** The paths of the API documentation, which are public. */
  readonly docs: readonly string[];
}

/** Milliseconds. */
const OPTIONAL_AUTHENTICATION_TIMEOUT = 500;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On a route that only says 405: the methods that its path does have. */
    allow?: string;
  }
}

/**
 * Before anything else of a request is looked at: who is it, do the role rules let it pass, is there such a
 * route. Nest's guards alone would come after the body was read, and not at all for unknown paths.
 */
export function applyAccessRules(
  fastify: FastifyInstance,
  { authenticate, hasMetricsToken, docs }: AccessOptions,
): void {
  fastify.decorateRequest('caller', null);
  fastify.decorateRequest('hasMetricsToken', false);
  fastify.addHook('onRequest', async (request) => {
    const { url, config } = request.routeOptions;
    // The router's decision, never the raw path; only where it found no route is there nothing else to go by.
    const isUnknown = request.is404 || url === undefined || url === '*'; // the CORS plugin's route
    const access = isUnknown
      ? accessOfUnknown(decodedPath(request), request.method)
      : accessOf(url, request.method, docs);
    // Only here, so that the token is good for nothing else; and before the account, which the database knows.
    request.hasMetricsToken = access === 'metrics' && hasMetricsToken(request);
    if (access === 'public') request.caller = await authenticateOptionally(authenticate, request);
    else if (!request.hasMetricsToken) request.caller = await authenticate(request);
    requireAccess(access, request);
    if (config.allow !== undefined) throw methodNotAllowed(config.allow);
    if (isUnknown) throw notFound();
  });
}

/** A public route needs no caller: neither a stale token nor a database that hangs may keep it from answering. */
async function authenticateOptionally(
  authenticate: Authenticate,
  request: FastifyRequest,
): Promise<AuthenticatedUser | null> {
  if (request.headers.authorization === undefined) return null;
  const timeout = new AbortController();
  const anonymous = sleep(OPTIONAL_AUTHENTICATION_TIMEOUT, null, { signal: timeout.signal, ref: false });
  try {
    return await Promise.race([authenticate(request).catch(() => null), anonymous]);
  } finally {
    anonymous.catch(() => undefined);
    timeout.abort();
  }
}

function methodNotAllowed(allow: string): ProblemError {
  return new ProblemError('method-not-allowed', `This resource knows the methods ${allow}.`, {
    headers: { allow },
  });
}

function decodedPath(request: FastifyRequest): string {
  const path = pathOf(request.url);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
