import { hash, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { unescape } from 'node:querystring';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Settings } from '../../config/env.js';
import { authenticationRequired, notFound, pathOf, ProblemError } from '../problems/problem.js';
import type { UserAccount } from './caller.js';

/** Callers that may pass: all, those with a valid token, ADMIN, or ADMIN and the bearer of METRICS_TOKEN. */
export type Access = 'public' | 'authenticated' | 'admin' | 'metrics';

/** The contract's rules for `METHOD /path`, in its order: the first that matches decides. */
const RULES: readonly (readonly [RegExp, Access])[] = [
  [/^POST \/api\/auth\/sign(?:up|in)$/, 'public'],
  [/^(?:GET|HEAD) \/actuator\/health(?:\/liveness|\/readiness)?$/, 'public'],
  [/^(?:GET|HEAD) \/actuator\/prometheus$/, 'metrics'],
  [/^\S* \/actuator(?:\/|$)/, 'admin'],
  [/^\S* \/api\/users\/me$/, 'authenticated'],
  [/^\S* \/api\/users(?:\/|$)/, 'admin'],
];

/** The access to a route's template; without a method, to a path that has no route: never public, whatever it looks like. */
export function accessOf(path: string, method = ''): Access {
  const target = `${method} ${path}`;
  return RULES.find(([pattern]) => pattern.test(target))?.[1] ?? 'authenticated';
}

export abstract class Authenticator {
  /** The account behind an Authorization header. Throws authentication-required when its token is not valid. */
  abstract identify(authorization: string): Promise<UserAccount>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Opens a route outside the API to all: a file of the documentation. */
    public?: boolean;
    /** On a route that only answers 405: the methods of its path. */
    allow?: string;
    /** The least that an API key needs: READ for a POST that changes nothing, 'none' where no key will do. */
    keys?: 'READ' | 'none';
  }
}

/** On a handler: a POST that changes nothing, and is open to API keys that may only read. */
export const OnlyReads = (): MethodDecorator => RouteConfig({ keys: 'READ' });

export const RefusesKeys = (): MethodDecorator => RouteConfig({ keys: 'none' });

const OPTIONAL_AUTHENTICATION_TIMEOUT = 500; // milliseconds

/** Declares who may call a controller or a handler. A route that declares nothing is closed to all but ADMIN. */
export const AllowAccess = Reflector.createDecorator<Access>({ key: 'access' });

/**
 * Two independent checks of a request: by its path, before the body is read and for unknown paths too, where Nest asks
 * no guard; and Nest's guard by the handler's declaration. Each holds when the other is wrong.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly settings: Settings,
  ) {}

  watch(fastify: FastifyInstance): void {
    fastify.decorateRequest('caller', null);
    fastify.addHook('onRequest', async (request, { raw: response }) => {
      const { url, config } = request.routeOptions;
      // The path as the router reads it. The raw one counts only where it found no route, or an empty id.
      const names = Object.values(request.params as Record<string, string>);
      const isUnknown = request.is404 || url === undefined || names.includes('');
      const byPath = isUnknown ? accessOf(unescape(pathOf(request.url))) : accessOf(url, request.method);
      const access = config.public ? 'public' : byPath;
      await this.admit(request, access, response);
      if (isUnknown) throw notFound();
      if (this.settings.signUp === 'closed' && url === '/api/auth/signup' && request.method === 'POST')
        throw new ProblemError('access-denied', 'Sign-up is closed: ask the operator for an account.');
      const { allow } = config;
      if (allow !== undefined)
        throw new ProblemError('method-not-allowed', `This path supports ${allow}.`, { headers: { allow } });
      if (access !== 'public') requireKeyAccess(request);
    });
  }

  canActivate(context: ExecutionContext): boolean {
    const declared = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride(AllowAccess, declared) as Access | undefined;
    this.requireAccess(access ?? 'admin', context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }

  /** Finds the caller, and throws 401 or 403 unless the access that the path has admits it. */
  private async admit(request: FastifyRequest, access: Access, response: ServerResponse): Promise<void> {
    const { authorization } = request.headers;
    if (authorization !== undefined && !this.opensMetrics(access, authorization)) {
      const found = this.authenticator.identify(authorization);
      const caller = await (access === 'public' ? ifInTime(found) : found);
      // To read for nobody takes time from the others. A response that has begun breaks off by itself.
      const isGone = (): boolean => !request.raw.socket.writable && !response.headersSent;
      request.caller = caller && isRead(request) ? { ...caller, isGone } : caller;
    }
    this.requireAccess(access, request);
  }

  private requireAccess(access: Access, { caller, headers }: FastifyRequest): void {
    if (access === 'public' || this.opensMetrics(access, headers.authorization)) return;
    if (caller === null) throw authenticationRequired(false);
    if (access !== 'authenticated' && caller.role !== 'ADMIN') throw new ProblemError('access-denied');
  }

  /** METRICS_TOKEN opens the metrics alone, also while the database, and every account with it, is away. */
  private opensMetrics(access: Access, authorization: string | undefined): boolean {
    const { metricsToken } = this.settings;
    if (access !== 'metrics' || metricsToken === undefined) return false;
    return timingSafeEqual(digestOf(bearerToken(authorization)), digestOf(metricsToken));
  }
}

/** Whether a request changes nothing, such as the POST of a search. */
export const isRead = ({ method, routeOptions: { config } }: FastifyRequest): boolean =>
  method === 'GET' || method === 'HEAD' || config.keys === 'READ';

/** An API key may do less than its account. Throws access-denied. */
function requireKeyAccess(request: FastifyRequest): void {
  const { caller, routeOptions } = request;
  if (caller?.keyAccess === undefined) return;
  if (routeOptions.config.keys === 'none')
    throw new ProblemError('access-denied', 'This takes a token, not an API key.');
  if (caller.keyAccess === 'READ' && !isRead(request))
    throw new ProblemError('access-denied', 'The API key may only read.');
}

/** A public route needs no caller: neither a stale token nor a database that hangs may delay its response. */
async function ifInTime(caller: Promise<UserAccount>): Promise<UserAccount | null> {
  const late = sleep(OPTIONAL_AUTHENTICATION_TIMEOUT, null, { ref: false });
  return Promise.race([caller.catch(() => null), late]);
}

/** RFC 6750, section 2.1: the scheme in any case, one token, nothing after it, nor a second header. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** The token of an Authorization header, or '' when it has none. */
export const bearerToken = (authorization = ''): string => BEARER.exec(authorization)?.[1] ?? '';

/** SHA-256 of a credential. Its comparison tells by its time neither how much of a text was right nor how long it is. */
export const digestOf = (credential: string): Buffer => hash('sha256', credential, 'buffer');
