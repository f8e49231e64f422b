import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { accessDenied, authenticationRequired } from '../http/problem/problem.js';
import type { Access } from './access-rules.js';
import type { Caller } from './caller.js';

const ACCESS = 'access';

/** Declares who may call a controller or a handler. A route that declares nothing is closed to all but ADMIN. */
export const AllowAccess = (access: Access): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, access);

/** What a handler, or else its controller, declares. */
export function declaredAccess(
  reflector: Reflector,
  context: Pick<ExecutionContext, 'getHandler' | 'getClass'>,
): Access {
  return (
    reflector.getAllAndOverride<Access | undefined>(ACCESS, [context.getHandler(), context.getClass()]) ??
    'admin'
  );
}

/** Who makes a request, as far as it decides about access. */
export interface Requester {
  readonly caller: Caller | null;
  readonly hasMetricsToken: boolean;
}

/** Throws 401 or 403 unless the requester may pass. */
export function requireAccess(access: Access, { caller, hasMetricsToken }: Requester): void {
  if (access === 'public' || (access === 'metrics' && hasMetricsToken)) return;
  if (caller === null) throw authenticationRequired(false);
  if (access !== 'authenticated' && caller.role !== 'ADMIN') throw accessDenied();
}

/**
 * Holds each handler to what it declares. The rules by path have been applied before the body was read (see
 * `access.hook.ts`); this second, independent layer is what stays when one of the two is wrong.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    requireAccess(declaredAccess(this.reflector, context), request);
    return true;
  }
}
