import { type DynamicModule, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { methodNotAllowed, notFound } from '../http/problem/problem.js';
import { pathOf } from '../http/target.js';
import { AccessGuard, AUTHENTICATOR, type Authenticator, PUBLIC_PATHS } from './access.guard.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On a route that only says 405: the methods that its path does have. */
    allow?: string;
  }
}

interface Options {
  /** A provider of the modules that are imported. */
  readonly authenticator: Type<Authenticator>;
  readonly imports: readonly Type[];
  readonly publicPaths: readonly string[];
}

/**
 * Who may do what, decided before anything else of a request is looked at: Nest alone would ask its guards after the
 * body was read, and not at all for unknown paths.
 */
@Module({})
export class AccessModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly guard: AccessGuard,
  ) {}

  static with({ authenticator, imports, publicPaths }: Options): DynamicModule {
    return {
      module: AccessModule,
      imports: [...imports],
      providers: [
        AccessGuard,
        { provide: APP_GUARD, useExisting: AccessGuard },
        { provide: AUTHENTICATOR, useExisting: authenticator },
        { provide: PUBLIC_PATHS, useValue: publicPaths },
      ],
    };
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.decorateRequest('caller', null);
    fastify.decorateRequest('hasMetricsToken', false);
    fastify.addHook('onRequest', async (request) => {
      const { url, config } = request.routeOptions;
      // The router's decision, never the raw path; only where it found no route is there nothing else to go by.
      const isUnknown = request.is404 || url === undefined || url === '*'; // the CORS plugin's route
      await this.guard.admit(request, isUnknown ? decodedPath(request) : url, isUnknown);
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
