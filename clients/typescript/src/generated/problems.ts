// Generated from openapi.json by scripts/client-types.mjs: do not edit.
/** The problems by slug: their status, their title, and what they have beyond what all have. */
export const PROBLEMS = {
  'access-denied': { status: 403, title: 'Access denied', has: [] },
  'authentication-required': { status: 401, title: 'Authentication required', has: [] },
  'bad-credentials': { status: 401, title: 'Authentication failed', has: [] },
  'concurrent-modification': { status: 409, title: 'Concurrent modification', has: [] },
  'duplicate-email': { status: 409, title: 'Conflict', has: [] },
  'duplicate-username': { status: 409, title: 'Conflict', has: [] },
  'expectation-failed': { status: 417, title: 'Expectation failed', has: [] },
  'headers-too-large': { status: 431, title: 'Request header fields too large', has: [] },
  'idempotency-key-reused': { status: 422, title: 'Idempotency key reused', has: [] },
  'internal-error': { status: 500, title: 'Internal server error', has: ['correlationId'] },
  'malformed-request': { status: 400, title: 'Malformed request', has: [] },
  'method-not-allowed': { status: 405, title: 'Method not allowed', has: [] },
  'not-found': { status: 404, title: 'Resource not found', has: [] },
  'payload-too-large': { status: 413, title: 'Payload too large', has: [] },
  'request-timeout': { status: 408, title: 'Request timeout', has: [] },
  'resource-in-use': { status: 409, title: 'Conflict', has: [] },
  'service-unavailable': { status: 503, title: 'Service unavailable', has: ['correlationId'] },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type', has: [] },
  'uri-too-long': { status: 414, title: 'URI too long', has: [] },
  'validation-failed': { status: 400, title: 'Validation failed', has: ['errors'] },
} as const;
