import { randomUUID } from 'node:crypto';
import { type ArgumentsHost, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { PROBLEM_JSON, problemDocument, ProblemError, PROBLEMS, type ProblemSlug } from './problem.js';

const EXPLAINED_EVERY = 1000; // milliseconds; an outage fails many requests for one reason

/** The only place that turns an error into a response. One for an application. */
export class ProblemFilter implements ExceptionFilter {
  #explained = -EXPLAINED_EVERY;

  catch(exception: unknown, host: ArgumentsHost): void {
    this.respond(exception, host.switchToHttp().getResponse());
  }

  /** Anything thrown → application/problem+json. */
  respond(exception: unknown, reply: FastifyReply): void {
    const { request } = reply;
    const problem = toProblem(exception);
    const correlationId = problem.status >= 500 ? this.logFailure(request, problem) : undefined;
    request.problem = problem.slug;
    void reply
      .status(problem.status)
      .headers(problem.headers)
      .header('content-type', PROBLEM_JSON)
      // to a string Fastify would add a charset, which JSON has not
      .send(Buffer.from(problemDocument(problem, request.url, correlationId)));
  }

  /** Logs an unexpected failure as an ERROR with its stack, others in short lines of which one in a second has it, too. */
  logFailure(request: FastifyRequest, problem: ProblemError): string {
    const correlationId = randomUUID();
    const cause = problem.options.cause ?? problem;
    const route = `${request.method} ${request.routeOptions.url ?? '(no route)'}`;
    const about = { correlationId, requestId: request.id, route };
    const isExpected = problem.slug !== 'internal-error';
    const isKnown = isExpected && performance.now() - this.#explained < EXPLAINED_EVERY;
    if (isExpected && !isKnown) this.#explained = performance.now();
    request.log[isExpected ? 'warn' : 'error'](isKnown ? about : { ...about, err: cause }, problem.detail);
    return correlationId;
  }
}

/** Fastify's own log: broken responses alone, for which there can be no problem document. */
export class FrameworkLog extends LogController {
  constructor(private readonly problems: ProblemFilter) {
    super({ disableRequestLogging: true });
  }

  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return; // its client has gone
    const detail = 'The response was cut off before its end.';
    const options = { cause: error.cause ?? error };
    this.problems.logFailure(request, new ProblemError('service-unavailable', detail, options));
  }
}

/** The errors of `database/`, by name. */
const OF_DATABASE: Readonly<Partial<Record<string, ProblemSlug>>> = {
  StaleVersion: 'concurrent-modification',
  MissingRow: 'not-found',
  MissingAccount: 'authentication-required',
  CursorExpired: 'cursor-expired',
  KeyReused: 'idempotency-key-reused',
  UnstorableValue: 'malformed-request',
  ShareTaken: 'too-many-requests',
  Unavailable: 'service-unavailable',
};

/** Unknown errors are masked: the client gets a correlation id, the log gets the error. */
function toProblem(exception: unknown): ProblemError {
  if (exception instanceof ProblemError) return exception;
  const { name = '', message, cause } = (exception ?? {}) as Partial<Error>;
  const own = Object.hasOwn(OF_DATABASE, name) ? OF_DATABASE[name] : undefined;
  if (own !== undefined) return new ProblemError(own, message === '' ? undefined : message, { cause });
  const { code = '', statusCode = 0 } = (exception ?? {}) as { code?: string; statusCode?: number };
  const status = exception instanceof HttpException ? exception.getStatus() : statusCode;
  if (status < 400 || status >= 500)
    return new ProblemError('internal-error', undefined, { cause: exception });
  if (code === 'FST_ERR_BAD_URL')
    return new ProblemError('malformed-request', 'The URL has a malformed percent escape.');
  const slugs = Object.keys(PROBLEMS) as ProblemSlug[];
  const slug = slugs.find((each) => PROBLEMS[each].status === status);
  if (slug === undefined || status === 400)
    return new ProblemError('malformed-request', 'The request could not be read.');
  return new ProblemError(slug);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The slug of the problem in the response, for the metrics. */
    problem?: ProblemSlug;
  }
}
