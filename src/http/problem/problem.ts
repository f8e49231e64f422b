import { pathOf } from '../target.js';

/** RFC 7807 problem documents: the one vocabulary of everything that can go wrong. */

export const PROBLEM_JSON = 'application/problem+json';

/** Slug → status and title. The `type` of a problem is `urn:property-finance:problem:<slug>`. */
export const PROBLEMS = {
  'validation-failed': { status: 400, title: 'Validation failed' },
  'malformed-request': { status: 400, title: 'Malformed request' },
  'authentication-required': { status: 401, title: 'Authentication required' },
  'bad-credentials': { status: 401, title: 'Authentication failed' },
  'access-denied': { status: 403, title: 'Access denied' },
  'not-found': { status: 404, title: 'Resource not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'duplicate-email': { status: 409, title: 'Conflict' },
  'duplicate-username': { status: 409, title: 'Conflict' },
  'resource-in-use': { status: 409, title: 'Conflict' },
  'concurrent-modification': { status: 409, title: 'Concurrent modification' },
  'payload-too-large': { status: 413, title: 'Payload too large' },
  'uri-too-long': { status: 414, title: 'URI too long' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'expectation-failed': { status: 417, title: 'Expectation failed' },
  'idempotency-key-reused': { status: 422, title: 'Idempotency key reused' },
  'import-refused': { status: 422, title: 'Import refused' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'Request header fields too large' },
  'internal-error': { status: 500, title: 'Internal server error' },
  'service-unavailable': { status: 503, title: 'Service unavailable' },
} as const;

export type ProblemSlug = keyof typeof PROBLEMS;

/** What is usually said of a problem, where nothing more precise is known. */
export const DETAILS: Partial<Record<ProblemSlug, string>> = {
  'validation-failed': 'The request has invalid fields; see errors.',
  'malformed-request': 'The body must be a JSON object.',
  'authentication-required': 'The bearer token is not valid.',
  'bad-credentials': 'The username or the password is wrong.',
  'access-denied': 'Your role does not allow this.',
  'not-found': 'There is no such resource.',
  'request-timeout': 'The request took too long to arrive.',
  'duplicate-email': 'An account with this e-mail address exists.',
  'duplicate-username': 'An account with this username exists.',
  'concurrent-modification': 'The resource was changed meanwhile: read it again and retry.',
  'payload-too-large': 'The body is larger than this service takes.',
  'uri-too-long': 'The URL is longer than 8192 characters.',
  'unsupported-media-type': 'The body must be application/json.',
  'expectation-failed': 'Only Expect: 100-continue is known here.',
  'idempotency-key-reused': 'Another request was sent with this Idempotency-Key.',
  'headers-too-large': 'The header fields are longer than 16384 characters.',
  'internal-error': 'An unexpected failure; quote the correlationId when you report it.',
};

/** Field or parameter name → what is wrong with it. */
export type FieldErrors = Readonly<Record<string, string>>;

/** How many field errors one problem lists; more would only help whoever made them on purpose. */
export const MAX_FIELD_ERRORS = 50;

/** The one error that features throw. The filter answers with its problem document. */
export class ProblemError extends Error {
  constructor(
    readonly slug: ProblemSlug,
    readonly detail: string = DETAILS[slug] ?? PROBLEMS[slug].title,
    readonly options: {
      errors?: FieldErrors;
      /** What the document of this problem has beside the members that all have. */
      members?: Readonly<Record<string, unknown>>;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(`${slug}: ${detail}`, { cause: options.cause });
  }

  get status(): number {
    return PROBLEMS[this.slug].status;
  }
}

export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  timestamp: string;
  errors?: FieldErrors;
  correlationId?: string;
}

/**
 * The document of a problem. `target` is the request's target; its query is left out, because it may hold
 * what should not be repeated.
 */
export function problemDocument(
  problem: ProblemError,
  target: string,
  correlationId?: string,
): ProblemDocument {
  const { status, title } = PROBLEMS[problem.slug];
  const document: ProblemDocument = {
    type: `urn:property-finance:problem:${problem.slug}`,
    title,
    status,
    detail: problem.detail,
    instance: pathOf(target),
    timestamp: new Date().toISOString(),
  };
  if (problem.options.errors !== undefined) document.errors = bounded(problem.options.errors);
  Object.assign(document, problem.options.members);
  if (correlationId !== undefined) document.correlationId = correlationId;
  return document;
}

function bounded(errors: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(errors).slice(0, MAX_FIELD_ERRORS));
}

/** 400 that names every faulty field, or counts them where they are too many to name. */
export function validationFailed(errors: FieldErrors): ProblemError {
  const count = Object.keys(errors).length;
  const detail =
    count > MAX_FIELD_ERRORS
      ? `The request has ${count} invalid fields; the first are in errors.`
      : undefined;
  return new ProblemError('validation-failed', detail, { errors });
}

export function malformedRequest(detail: string): ProblemError {
  return new ProblemError('malformed-request', detail);
}

/** 404 for what is not there and for what is not the caller's alike: the two must not be told apart. */
export function notFound(what = 'resource'): ProblemError {
  return new ProblemError('not-found', `There is no such ${what}.`);
}

/** 405. `allow` lists the methods that the path does have. */
export function methodNotAllowed(allow: string): ProblemError {
  return new ProblemError('method-not-allowed', `This resource knows the methods ${allow}.`, {
    headers: { allow },
  });
}

/** 406. */
export function notAcceptable(offered: readonly string[]): ProblemError {
  return new ProblemError('not-acceptable', `This resource can be had as ${offered.join(' or ')}.`);
}

/** 409 of optimistic locking: the client reads again and retries. */
export function concurrentModification(): ProblemError {
  return new ProblemError('concurrent-modification');
}

/** 422 of a key that belongs to another request. */
export function idempotencyKeyReused(): ProblemError {
  return new ProblemError('idempotency-key-reused');
}

export function resourceInUse(detail: string): ProblemError {
  return new ProblemError('resource-in-use', detail);
}

/** 429 of an account that has its share of the service already: the request may be repeated after the seconds of Retry-After. */
export function tooManyRequests(detail: string): ProblemError {
  return new ProblemError('too-many-requests', detail, { headers: { 'retry-after': '1' } });
}

/** 503: the request may be repeated after the seconds of Retry-After. */
export function serviceUnavailable(detail: string, cause?: unknown): ProblemError {
  return new ProblemError('service-unavailable', detail, { headers: { 'retry-after': '1' }, cause });
}

const REALM = 'Bearer realm="property-finance"';

/** 401. With `tokenSent` the challenge says that the token was the reason (RFC 6750, section 3). */
export function authenticationRequired(tokenSent: boolean): ProblemError {
  const challenge = tokenSent ? `${REALM}, error="invalid_token"` : REALM;
  const detail = tokenSent ? undefined : 'A bearer token is required.';
  return new ProblemError('authentication-required', detail, { headers: { 'www-authenticate': challenge } });
}

/** 401 of the sign-in: the same for an unknown name and a wrong password. */
export function badCredentials(): ProblemError {
  return new ProblemError('bad-credentials', undefined, { headers: { 'www-authenticate': REALM } });
}

export function accessDenied(): ProblemError {
  return new ProblemError('access-denied');
}
