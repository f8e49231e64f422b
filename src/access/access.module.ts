import { type DynamicModule, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { methodNotAllowed, notFound } from '../http/problem/problem.js';
import { pathOf } from '../http/target.js';
import { AccessGuard, AUTHENTICATOR, type Authenticator } from './access.guard.js';
import { accessOf, accessOfUnknown } from './access-rules.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Opens a route outside the API to all: a file of the documentation. */
    public?: boolean;
    /** On a route that only answers 405: the methods of its path. */
    allow?: string;
  }
}

/** Decides access before anything else: Nest alone asks its guards after the body is read, and never for unknown paths. */
@Module({})
export class AccessModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly guard: AccessGuard,
  ) {}

  /** `authenticator` is a provider of the module `auth`. */
  static with(auth: Type, authenticator: Type<Authenticator>): DynamicModule {
    return {
      module: AccessModule,
      imports: [auth],
      providers: [
        AccessGuard,
        { provide: APP_GUARD, useExisting: AccessGuard },
        { provide: AUTHENTICATOR, useExisting: authenticator },
      ],
    };
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.decorateRequest('caller', null);
    fastify.decorateRequest('hasMetricsToken', false);
    fastify.addHook('onRequest', async (request) => {
      const { url, config } = request.routeOptions;
      // The router's decision, never the raw path, unless the router found none.
      const isUnknown = request.is404 || url === undefined;
      const access = isUnknown ? accessOfUnknown(decodedPath(request)) : accessOf(url, request.method);
      await this.guard.admit(request, config.public ? 'public' : access);
      if (config.allow !== undefined) throw methodNotAllowed(config.allow);
      if (isUnknown) throw notFound();
    });
  }
}

function decodedPath(request: FastifyRequest): string {
  const path = pathOf(request.url);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
