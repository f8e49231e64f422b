import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  type InjectionToken,
  type OnModuleInit,
  SetMetadata,
} from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { authenticationRequired, notFound, ProblemError } from '../http/problem/problem.js';
import { pathOf } from '../http/target.js';
import { type Access, accessOf, accessOfUnknown } from './access-rules.js';
import { bearsMetricsToken } from './bearer-token.js';
import type { UserAccount } from './caller.js';

/** Finds the caller of a request: null without a token. Throws authentication-required for one that is not valid. */
export interface Authenticator {
  identify(request: FastifyRequest): Promise<UserAccount | null>;
}

export const AUTHENTICATOR: InjectionToken<Authenticator> = Symbol('authenticator');

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Opens a route outside the API to all: a file of the documentation. */
    public?: boolean;
    /** On a route that only answers 405: the methods of its path. */
    allow?: string;
  }
}

const ACCESS = 'access';
/** Milliseconds. */
const OPTIONAL_AUTHENTICATION_TIMEOUT = 500;

/** Declares who may call a controller or a handler. A route that declares nothing is closed to all but ADMIN. */
export const AllowAccess = (access: Access): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, access);

/**
 * Two independent checks of a request: by its path, before the body is read and for unknown paths too, where Nest asks
 * no guard; and Nest's guard by the handler's declaration. Each holds when the other is wrong.
 */
@Injectable()
export class AccessGuard implements OnModuleInit, CanActivate {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly reflector: Reflector,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'metricsToken'>,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.decorateRequest('caller', null);
    fastify.decorateRequest('hasMetricsToken', false);
    fastify.addHook('onRequest', async (request) => {
      const { url, config } = request.routeOptions;
      const { allow } = config;
      // The router's decision, never the raw path, unless the router found none.
      const isUnknown = request.is404 || url === undefined;
      const access = isUnknown ? accessOfUnknown(decodedPath(request)) : accessOf(url, request.method);
      await this.admit(request, config.public ? 'public' : access);
      if (allow !== undefined)
        throw new ProblemError('method-not-allowed', `This path supports ${allow}.`, { headers: { allow } });
      if (isUnknown) throw notFound();
    });
  }

  canActivate(context: ExecutionContext): boolean {
    const declared = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, declared) ?? 'admin';
    requireAccess(access, context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }

  /** Finds the caller, and throws 401 or 403 unless the access that the path has admits it. */
  private async admit(request: FastifyRequest, access: Access): Promise<void> {
    // Only here, so that the token opens nothing else; and before the account, which the database knows.
    request.hasMetricsToken = access === 'metrics' && bearsMetricsToken(request, this.settings.metricsToken);
    if (access === 'public') request.caller = await this.identifyOptionally(request);
    else if (!request.hasMetricsToken) request.caller = await this.authenticator.identify(request);
    requireAccess(access, request);
  }

  /** A public route needs no caller: neither a stale token nor a database that hangs may delay its response. */
  private async identifyOptionally(request: FastifyRequest): Promise<UserAccount | null> {
    if (request.headers.authorization === undefined) return null;
    const timeout = new AbortController();
    return Promise.race([
      this.authenticator.identify(request).catch(() => null),
      sleep(OPTIONAL_AUTHENTICATION_TIMEOUT, null, { ref: false, signal: timeout.signal }),
    ]).finally(() => timeout.abort());
  }
}

function requireAccess(access: Access, { caller, hasMetricsToken }: FastifyRequest): void {
  if (access === 'public' || (access === 'metrics' && hasMetricsToken)) return;
  if (caller === null) throw authenticationRequired(false);
  if (access !== 'authenticated' && caller.role !== 'ADMIN') throw new ProblemError('access-denied');
}

function decodedPath(request: FastifyRequest): string {
  const path = pathOf(request.url);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
