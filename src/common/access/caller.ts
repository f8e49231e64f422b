import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { authenticationRequired, notFound } from '../problems/problem.js';
import type { OwnerScope } from '../../database/lists/statement.js';

export const ROLES = ['USER', 'ADMIN'] as const;
export type Role = (typeof ROLES)[number];

export const KEY_ACCESS = ['READ', 'WRITE'] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];

/** The account behind a request, as the database knew it when the request came in. */
export interface Caller {
  readonly id: string;
  readonly role: Role;
  /** Of a request that only reads: whether its client has gone before its response began. */
  readonly isGone?: () => boolean;
}

export interface UserAccount extends Caller {
  readonly email: string;
  readonly username: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** What an API key admits to; a token admits to everything that the role may. */
  readonly keyAccess?: KeyAccess;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication; null for an anonymous request, and for the bearer of METRICS_TOKEN. */
    caller: UserAccount | null;
  }
}

export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): UserAccount => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (caller === null) throw authenticationRequired(false);
  return caller;
});

/** The rows that a caller may touch: the own ones, or, for ADMIN, all. */
export function scopeOf(caller: Caller): OwnerScope {
  return caller.role === 'ADMIN' ? 'every-owner' : { ownerId: caller.id };
}

/** The owner whose rows a caller asks for: the own ones, unless an ADMIN names another. Throws not-found. */
export function ownerFor({ id, role }: Caller, named: string | null): string {
  if (named !== null && named !== id && role !== 'ADMIN') throw notFound('user');
  return named ?? id;
}
