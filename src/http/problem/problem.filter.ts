import { randomUUID } from 'node:crypto';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEM_JSON, problemDocument, ProblemError, type ProblemSlug } from './problem.js';

/** Anything thrown → application/problem+json. The only place that turns an error into a response. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(exception, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Also for what Fastify refuses before Nest sees the request. */
  respond(exception: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = toProblem(exception);
    const correlationId = problem.status >= 500 ? randomUUID() : undefined;
    if (correlationId !== undefined) this.log(problem, correlationId, request);
    reply.request.problem = problem.slug;
    void reply
      .status(problem.status)
      .headers(problem.headers)
      .header('content-type', PROBLEM_JSON)
      // to a string Fastify would add a charset, which JSON has not
      .send(Buffer.from(problemDocument(problem, request.url, correlationId)));
  }

  /** An unexpected failure is an ERROR with its stack; an unavailable service is one line. */
  private log(problem: ProblemError, correlationId: string, request: FastifyRequest): void {
    const about = aboutFailure(correlationId, request);
    const cause = problem.options.cause ?? problem;
    if (problem.slug === 'internal-error') request.log.error({ ...about, err: cause }, problem.detail);
    else
      request.log.warn(
        { ...about, reason: cause instanceof Error ? cause.message : undefined },
        problem.detail,
      );
  }
}

/** The members of every log line about a failed request. */
export function aboutFailure(correlationId: string, request: FastifyRequest): object {
  const route = `${request.method} ${request.routeOptions.url ?? '(no route)'}`;
  return { correlationId, requestId: request.id, route };
}

/** Unknown errors are masked: the client gets a correlation id, the log gets the error. */
function toProblem(exception: unknown): ProblemError {
  if (exception instanceof ProblemError) return exception;
  const [slug, detail] = frameworkProblem(exception) ?? ['internal-error'];
  return new ProblemError(slug, detail, { cause: exception });
}

/** What Fastify and Nest throw of their own, by Fastify's code or else by the status. */
const REFUSALS: Record<string, [ProblemSlug, string?]> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed-request',
    'The body is not as long as Content-Length says.',
  ],
  FST_ERR_BAD_URL: ['malformed-request', 'The URL has a malformed percent escape.'],
  '400': ['malformed-request', 'The request could not be read.'],
  '404': ['not-found'],
  '413': ['payload-too-large'],
  '415': ['unsupported-media-type'],
};

function frameworkProblem(exception: unknown): [ProblemSlug, string?] | undefined {
  if (exception instanceof HttpException) return REFUSALS[String(exception.getStatus())];
  if (typeof exception !== 'object' || exception === null) return undefined;
  const { code, statusCode } = exception as { code?: string; statusCode?: number };
  return REFUSALS[code ?? ''] ?? REFUSALS[String(statusCode)];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The slug of the problem in the response, for the metrics. */
    problem?: ProblemSlug;
  }
}
