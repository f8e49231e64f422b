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
import { type Access, accessOf, accessOfUnknown } from './access-rules.js';
import { metricsTokenCheck } from './bearer-token.js';
import type { AuthenticatedUser, Caller } from './caller.js';

/** Who sends a request: null without a token. Throws authentication-required for a token that is not valid. */
export interface Authenticator {
  identify(request: FastifyRequest): Promise<AuthenticatedUser | null>;
}

export const AUTHENTICATOR: InjectionToken<Authenticator> = Symbol('authenticator');
/** Paths that are public besides those of the rules: the API documentation's, while it is switched on. */
export const PUBLIC_PATHS: InjectionToken<readonly string[]> = Symbol('public paths');

const ACCESS = 'access';
/** Milliseconds. */
const OPTIONAL_AUTHENTICATION_TIMEOUT = 500;

/** Declares who may call a controller or a handler. A route that declares nothing is closed to all but ADMIN. */
export const AllowAccess = (access: Access): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, access);

/** What a handler, or else its controller, declares. */
function declaredAccess(
  reflector: Reflector,
  context: Pick<ExecutionContext, 'getHandler' | 'getClass'>,
): Access {
  return (
    reflector.getAllAndOverride<Access | undefined>(ACCESS, [context.getHandler(), context.getClass()]) ??
    'admin'
  );
}

/**
 * Who may pass. It is asked twice, independently: {@link admit} by path, before the body of a request is read and for
 * unknown paths too (see `access.module.ts`), and as Nest's guard by what the handler declares, which is what stays
 * when one of the two is wrong.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly hasMetricsToken: (request: FastifyRequest) => boolean;

  constructor(
    private readonly reflector: Reflector,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(PUBLIC_PATHS) private readonly publicPaths: readonly string[],
    @Inject(SETTINGS) settings: Pick<Settings, 'metricsToken'>,
  ) {
    this.hasMetricsToken = metricsTokenCheck(settings.metricsToken);
  }

  /** Finds out whose request it is, and throws 401 or 403 unless the role rules let it pass. */
  async admit(request: FastifyRequest, path: string, isUnknown: boolean): Promise<void> {
    const access = isUnknown
      ? accessOfUnknown(path, request.method)
      : accessOf(path, request.method, this.publicPaths);
    // Only here, so that the token is good for nothing else; and before the account, which the database knows.
    request.hasMetricsToken = access === 'metrics' && this.hasMetricsToken(request);
    if (access === 'public') request.caller = await this.identifyOptionally(request);
    else if (!request.hasMetricsToken) request.caller = await this.authenticator.identify(request);
    requireAccess(access, request);
  }

  canActivate(context: ExecutionContext): boolean {
    requireAccess(
      declaredAccess(this.reflector, context),
      context.switchToHttp().getRequest<FastifyRequest>(),
    );
    return true;
  }

  /** A public route needs no caller: neither a stale token nor a database that hangs may keep it from answering. */
  private async identifyOptionally(request: FastifyRequest): Promise<AuthenticatedUser | null> {
    if (request.headers.authorization === undefined) return null;
    const timeout = new AbortController();
    const anonymous = sleep(OPTIONAL_AUTHENTICATION_TIMEOUT, null, { signal: timeout.signal, ref: false });
    try {
      return await Promise.race([this.authenticator.identify(request).catch(() => null), anonymous]);
    } finally {
      anonymous.catch(() => undefined);
      timeout.abort();
    }
  }
}

/** Who makes a request, as far as it decides about access. */
interface Requester {
  readonly caller: Caller | null;
  readonly hasMetricsToken: boolean;
}

/** Throws 401 or 403 unless the requester may pass. */
function requireAccess(access: Access, { caller, hasMetricsToken }: Requester): void {
  if (access === 'public' || (access === 'metrics' && hasMetricsToken)) return;
  if (caller === null) throw authenticationRequired(false);
  if (access !== 'authenticated' && caller.role !== 'ADMIN') throw accessDenied();
}
