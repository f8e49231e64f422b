import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { applyAccessRules } from './access/access.hook.js';
import { Availability } from './actuator/availability.js';
import { AppModule } from './app.module.js';
import { JwtStrategy } from './auth/jwt.strategy.js';
import type { Settings } from './config/env.js';
import { createLogger, type Logger, NestLogger } from './config/logger.js';
import { closeRoutes } from './http/closed-routes.js';
import { answerOtherPreflights, corsPolicy } from './http/cors.js';
import { serializeJson } from './http/exact-json.js';
import {
  answerBrokenRequest,
  answerRefusedRequests,
  MAX_URI_LENGTH,
  uriTooLong,
} from './http/framework-errors.js';
import { requestId, SECURITY_HEADERS } from './http/headers.js';
import { readJsonBodies } from './http/json-body.js';
import { malformedRequest } from './http/problem.js';
import { ProblemFilter } from './http/problem.filter.js';
import { sendRepresentations } from './http/representation.js';

/** How often Node looks for requests that have exceeded their time. */
const TIMEOUT_CHECK_INTERVAL = 1000;

/** The one application, for production and tests alike. It is ready to listen; its database may still be away. */
export async function createApp(settings: Settings): Promise<NestFastifyApplication> {
  const logger = createLogger(settings);
  const adapter = createAdapter(settings, logger);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(settings, logger), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false, // Nest would also take forms and plain text
    abortOnError: false,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const closeKnownRoutes = closeRoutes(fastify);
  readJsonBodies(fastify);
  fastify.setReplySerializer(serializeJson);
  sendRepresentations(fastify);
  answerRefusedRequests(fastify.server);

  // In this order: what every answer has, what no request may lack, who asks and what for.
  addHeaders(fastify, app.get(Availability));
  refuseUnfitTargets(fastify);
  if (settings.corsAllowedOrigins.length > 0) {
    app.enableCors(corsPolicy(settings.corsAllowedOrigins));
    answerOtherPreflights(fastify);
  }
  const jwt = app.get(JwtStrategy);
  applyAccessRules(fastify, (request) => jwt.identify(request));

  await app.init();
  closeKnownRoutes();
  await fastify.ready();
  return app;
}

function createAdapter(settings: Settings, logger: Logger): FastifyAdapter {
  const problems = new ProblemFilter(logger);
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: settings.bodyLimit,
    requestTimeout: settings.requestTimeout,
    routerOptions: { maxParamLength: MAX_URI_LENGTH },
    http: {
      requireHostHeader: false, // refuseUnfitTargets says it with a problem document
      headersTimeout: settings.requestTimeout,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL,
    },
    return503OnClosing: false, // draining answers what still comes in
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      problems.answer(error, request, reply.headers(commonHeaders(request))); // no hook runs for these
    },
  });
}

function commonHeaders(request: FastifyRequest): Record<string, string> {
  return { ...SECURITY_HEADERS, 'x-request-id': request.id };
}

function addHeaders(fastify: FastifyInstance, availability: Availability): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(commonHeaders(request));
    if (availability.draining) reply.header('connection', 'close');
    done(null, payload);
  });
}

function refuseUnfitTargets(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.url.length > MAX_URI_LENGTH) done(uriTooLong());
    else if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      done(malformedRequest('The Host header is missing.'));
    } else done();
  });
}
