export const PROBLEM_JSON = 'application/problem+json';

const row = (status: number, title: string, detail = title) => ({ status, title, detail });

/** Slug → status, title, usual detail (RFC 7807). The first of a status stands for exceptions of Nest and Fastify, too. */
export const PROBLEMS = {
  'malformed-request': row(400, 'Malformed request', 'The body must be a JSON object.'),
  'validation-failed': row(400, 'Validation failed', 'The request has invalid fields; see errors.'),
  'authentication-required': row(401, 'Authentication required', 'The bearer token is not valid.'),
  'bad-credentials': row(401, 'Authentication failed', 'The username or the password is wrong.'),
  'access-denied': row(403, 'Access denied', 'Your role does not allow this.'),
  'not-found': row(404, 'Resource not found', 'There is no such resource.'),
  'method-not-allowed': row(405, 'Method not allowed'),
  'not-acceptable': row(406, 'Not acceptable'),
  'request-timeout': row(408, 'Request timeout', 'The request took too long to arrive.'),
  'concurrent-modification': row(409, 'Concurrent modification', 'The resource has changed: read it again.'),
  'duplicate-email': row(409, 'Conflict', 'An account with this e-mail address exists.'),
  'duplicate-username': row(409, 'Conflict', 'An account with this username exists.'),
  'resource-in-use': row(409, 'Conflict'),
  'cursor-expired': row(410, 'Cursor expired', 'Changes from here on are unknown: begin with an export.'),
  'payload-too-large': row(413, 'Payload too large', 'The body is larger than this service accepts.'),
  'uri-too-long': row(414, 'URI too long', 'The URL is longer than 8192 characters.'),
  'unsupported-media-type': row(415, 'Unsupported media type', 'The body must be application/json.'),
  'idempotency-key-reused': row(422, 'Idempotency key reused', 'This key belongs to a different request.'),
  'import-refused': row(422, 'Import refused'),
  'too-many-requests': row(429, 'Too many requests'),
  'headers-too-large': row(431, 'Request header fields too large', 'The head exceeds 16 KiB or 100 fields.'),
  'internal-error': row(500, 'Internal server error', 'An unexpected failure: quote the correlationId.'),
  'service-unavailable': row(503, 'Service unavailable'),
};

export type ProblemSlug = keyof typeof PROBLEMS;

const REALM = 'Bearer realm="property-finance"';

/** Slug → the usual headers: the challenge of RFC 6750, section 3; seconds to wait. */
const HEADERS: Partial<Record<ProblemSlug, Record<string, string>>> = {
  'authentication-required': { 'www-authenticate': `${REALM}, error="invalid_token"` },
  'bad-credentials': { 'www-authenticate': REALM },
  'too-many-requests': { 'retry-after': '1' },
  'service-unavailable': { 'retry-after': '1' },
};

/** Field or parameter name → what is wrong with it. */
type FieldErrors = Readonly<Record<string, string>>;

/** Most field errors of a problem: more would only serve a client that makes them on purpose. */
export const MAX_FIELD_ERRORS = 50;

/** The one error that features throw. The filter answers with its problem document. */
export class ProblemError extends Error {
  constructor(
    readonly slug: ProblemSlug,
    readonly detail: string = PROBLEMS[slug].detail,
    readonly options: {
      errors?: FieldErrors;
      /** Further members of this problem's document. */
      members?: Readonly<Record<string, unknown>>;
      /** In place of the usual ones. */
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(`${slug}: ${detail}`, { cause: options.cause });
  }

  get status(): number {
    return PROBLEMS[this.slug].status;
  }

  get headers(): Record<string, string> {
    return this.options.headers ?? HEADERS[this.slug] ?? {};
  }
}

/** JSON text, with the path of the request but not its query, which may hold what should not be repeated. */
export function problemDocument(problem: ProblemError, target: string, correlationId?: string): string {
  const { slug, status, detail, options } = problem;
  return JSON.stringify({
    type: `urn:property-finance:problem:${slug}`,
    title: PROBLEMS[slug].title,
    status,
    detail,
    instance: pathOf(target),
    timestamp: new Date().toISOString(),
    errors: options.errors,
    ...options.members,
    correlationId,
  });
}

/** 400 that names the faulty fields, or the first of them: callers stop looking once it is full. */
export function validationFailed(faults: FieldErrors): ProblemError {
  const errors = Object.fromEntries(Object.entries(faults).slice(0, MAX_FIELD_ERRORS));
  const detail = `The request has at least ${MAX_FIELD_ERRORS} invalid fields; the first are in errors.`;
  const isFull = Object.keys(errors).length === MAX_FIELD_ERRORS;
  return new ProblemError('validation-failed', isFull ? detail : undefined, { errors });
}

export const malformedRequest = (detail: string) => new ProblemError('malformed-request', detail);

/** 404 for a missing resource and for another owner's: nobody may see the difference. */
export function notFound(what = 'resource'): ProblemError {
  return new ProblemError('not-found', `There is no such ${what}.`);
}

/** 401, for a token that is not valid, or for none. */
export function authenticationRequired(tokenSent: boolean): ProblemError {
  if (tokenSent) return new ProblemError('authentication-required');
  const headers = { 'www-authenticate': REALM };
  return new ProblemError('authentication-required', 'A bearer token is required.', { headers });
}

/** The path of a request's target, without scheme and host (absolute form, RFC 9112, section 3.2.2) and query. */
export function pathOf(target: string): string {
  const [path = ''] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return path === '' ? '/' : path;
}
