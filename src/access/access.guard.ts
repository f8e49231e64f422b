import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  type InjectionToken,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { accessDenied, authenticationRequired } from '../http/problem/problem.js';
import type { Access } from './access-rules.js';
import { metricsTokenCheck } from './bearer-token.js';
import type { AuthenticatedUser } from './caller.js';

/** Finds the caller of a request: null without a token. Throws authentication-required for one that is not valid. */
export interface Authenticator {
  identify(request: FastifyRequest): Promise<AuthenticatedUser | null>;
}

export const AUTHENTICATOR: InjectionToken<Authenticator> = Symbol('authenticator');

const ACCESS = 'access';
/** Milliseconds. */
const OPTIONAL_AUTHENTICATION_TIMEOUT = 500;

/** Declares who may call a controller or a handler. A route that declares nothing is closed to all but ADMIN. */
export const AllowAccess = (access: Access): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, access);

/**
 * Two independent checks of a request: {@link admit} by its path, before the body is read and for unknown paths too
 * (see `access.module.ts`), and Nest's guard by the handler's declaration. Each holds when the other is wrong.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly hasMetricsToken: (request: FastifyRequest) => boolean;

  constructor(
    private readonly reflector: Reflector,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(SETTINGS) settings: Pick<Settings, 'metricsToken'>,
  ) {
    this.hasMetricsToken = metricsTokenCheck(settings.metricsToken);
  }

  /** Finds the caller, and throws 401 or 403 unless the access that the path has admits it. */
  async admit(request: FastifyRequest, access: Access): Promise<void> {
    // Only here, so that the token opens nothing else; and before the account, which the database knows.
    request.hasMetricsToken = access === 'metrics' && this.hasMetricsToken(request);
    if (access === 'public') request.caller = await this.identifyOptionally(request);
    else if (!request.hasMetricsToken) request.caller = await this.authenticator.identify(request);
    requireAccess(access, request);
  }

  canActivate(context: ExecutionContext): boolean {
    const declared = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, declared) ?? 'admin';
    requireAccess(access, context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }

  /** A public route needs no caller: neither a stale token nor a database that hangs may delay its response. */
  private async identifyOptionally(request: FastifyRequest): Promise<AuthenticatedUser | null> {
    if (request.headers.authorization === undefined) return null;
    return Promise.race([
      this.authenticator.identify(request).catch(() => null),
      sleep(OPTIONAL_AUTHENTICATION_TIMEOUT, null, { ref: false }),
    ]);
  }
}

function requireAccess(access: Access, { caller, hasMetricsToken }: FastifyRequest): void {
  if (access === 'public' || (access === 'metrics' && hasMetricsToken)) return;
  if (caller === null) throw authenticationRequired(false);
  if (access !== 'authenticated' && caller.role !== 'ADMIN') throw accessDenied();
}
