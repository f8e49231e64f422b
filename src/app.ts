import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { HealthService } from './actuator/health/health.service.js';
import { AppModule } from './app.module.js';
import type { Settings } from './config/env.js';
import { createLogger, type Logger } from './config/logger.js';
import { serveDocs } from './docs/routes.js';
import { readBodies } from './http/bodies.js';
import { answersPreflight } from './http/cors.js';
import { answered } from './http/exchange.js';
import { commonHeaders, requestId, traceOf } from './http/headers.js';
import { ClientMemory } from './http/client-memory.js';
import { boundResponses } from './http/large-responses.js';
import { closeRoutes } from './http/method-not-allowed.js';
import { MAX_HEAD_SIZE, refuseForNode } from './http/refusals.js';
import { sendRepresentations } from './http/representation.js';
import { faultOfTarget, isLast, refuseBrokenHeads } from './http/request-head.js';
import { Requests } from './http/requests.js';
import { AccessGuard } from './common/access/access.guard.js';
import { FIELDS_PIPE } from './common/validation/fields.pipe.js';
import { serializeReply } from './common/json/exact-json.js';
import { FrameworkLog, ProblemFilter } from './common/problems/problem.filter.js';

/** The one application, for production and tests alike. It is ready to listen; its database may still be away. */
export async function createApp(settings: Settings): Promise<NestFastifyApplication> {
  const registry = new Registry();
  const logger = createLogger(settings, registry);
  const problems = new ProblemFilter();
  const adapter = createAdapter(settings, logger, problems, () => app);
  const modules = AppModule.with(settings, logger, registry);
  // Nest's logger would list every module and route, and its parser would also read forms and plain text.
  const options = { logger: false, bodyParser: false, abortOnError: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(modules, adapter, options);
  app.useGlobalPipes(FIELDS_PIPE).useGlobalFilters(problems);
  const fastify = adapter.getInstance<FastifyInstance>();
  refuseForNode(fastify.server, app.get(Requests));
  const closeKnownRoutes = closeRoutes(fastify);
  fastify.setChildLoggerFactory((parent, _bindings, _options, request) => {
    const trace = traceOf(request);
    return trace === undefined ? parent : parent.child(trace); // each line names its request itself
  });
  fastify.setReplySerializer(serializeReply);
  addHooks(fastify, app, settings);
  await app.init();
  closeKnownRoutes();
  await fastify.ready();
  return app;
}

/** All that happens to a request outside of its handler, in this order. */
function addHooks(fastify: FastifyInstance, app: NestFastifyApplication, settings: Settings): void {
  app.get(Requests).watch(fastify.server);
  refuseBrokenHeads(fastify, app.get(Requests));
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!answersPreflight(request, reply, settings.corsAllowedOrigins)) done(faultOfTarget(request));
  });
  if (settings.apiDocs) serveDocs(fastify); // its redirect of / is for anybody
  app.get(AccessGuard).watch(fastify);
  readBodies(fastify, settings, app.get(Requests), app.get(ClientMemory));
  sendRepresentations(fastify);
  boundResponses(fastify, app.get(ClientMemory));
  const health = app.get(HealthService);
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    answered(request.exchange);
    addHeaders(request, reply, health);
    done();
  });
}

function createAdapter(
  settings: Settings,
  logger: Logger,
  problems: ProblemFilter,
  app: () => NestFastifyApplication,
): FastifyAdapter {
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new FrameworkLog(problems),
    genReqId: requestId,
    bodyLimit: settings.bodyLimit,
    requestTimeout: 0, // of the head alone; Requests has a clock for the body, which the service may let wait
    routerOptions: { maxParamLength: MAX_HEAD_SIZE },
    http: {
      maxHeaderSize: MAX_HEAD_SIZE,
      requireHostHeader: false, // refuseBrokenHeads answers with a problem document
      joinDuplicateHeaders: true, // with commas, so that a second Host or Authorization is never ignored
      headersTimeout: settings.requestTimeout,
      connectionsCheckingInterval: 1000, // for requests that have exceeded their time
    },
    return503OnClosing: false, // requests that come in while it drains are answered
    clientErrorHandler: () => undefined, // refuseForNode answers
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      app().get(Requests).route(request); // no hook runs for these
      answered(request.exchange);
      addHeaders(request, reply, app().get(HealthService));
      if (!answersPreflight(request, reply, settings.corsAllowedOrigins)) problems.respond(error, reply);
    },
  });
}

function addHeaders({ id, raw }: FastifyRequest, reply: FastifyReply, health: HealthService): void {
  reply.headers(commonHeaders(id, raw));
  if (health.draining || isLast(raw)) reply.header('connection', 'close');
}
