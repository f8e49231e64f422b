import type { HeaderObject, HeadersObject, ParameterObject } from '@nestjs/swagger';
import { REQUEST_ID, SECURITY_HEADERS } from '../http/headers.js';
import { TEXT } from '../common/validation/schema.js';
import { BARE_KEY } from '../http/idempotency-key.js';

const header = (description: string, schema: object = {}, required = true): HeaderObject => ({
  description,
  schema: { ...TEXT, ...schema },
  required,
});

const SECURITY = Object.entries(SECURITY_HEADERS).map(([name, value]) => [
  name.replace(/(?:^|-)\w/g, (start) => start.toUpperCase()),
  header('The same in every response.', { enum: [value] }),
]);

/** The headers of every response. */
const COMMON = {
  'X-Request-Id': header('The id of the request: its own, or a new one.', { pattern: REQUEST_ID.source }),
  ...(Object.fromEntries(SECURITY) as object),
};

/** The headers of responses, as `components.headers`, without those of HTTP/1.1 itself (Date, …). */
export const HEADERS = {
  ...COMMON,
  ETag: header('The version of the resource, for `If-Match` and `If-None-Match`.', { pattern: '^"\\d+"$' }),
  Location: header('The path of the new resource.', { format: 'uri-reference' }),
  'Content-Disposition': header('The name of the file.', { pattern: '^attachment; filename="[a-z.]+"$' }),
  'Changes-Cursor': header(
    'Where to go on with the changes of the rows in the file; missing while that is unknown, or on a standby.',
    { pattern: '^[\\w-]+$' },
    false,
  ),
  Link: header(
    'The next page, while one follows: `<target>; rel="next"` (RFC 8288), with a `cursor`.',
    { pattern: '^<[^>]+>; rel="next"$' },
    false,
  ),
  'Idempotent-Replayed': header(
    'The response to an earlier request with the same `Idempotency-Key`.',
    { enum: ['true'] },
    false,
  ),
  'WWW-Authenticate': header(
    'The challenge of RFC 6750, with `error="invalid_token"` when a token was sent.',
  ),
  Allow: header('The methods of the path.', { pattern: '^[A-Z]+(, [A-Z]+)*$' }),
  'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1 }),
};

export function headersOf(names: readonly string[] = []): HeadersObject {
  const all = [...names, ...Object.keys(COMMON)];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const parameter = (
  name: string,
  description: string,
  example: string,
  schema: object = TEXT,
): ParameterObject => ({ name, in: 'header', description, schema, example });

/** The request headers that the service reads, as `components.parameters`. */
export const HEADER_PARAMETERS: Readonly<Record<string, ParameterObject>> = {
  IfNoneMatch: parameter(
    'If-None-Match',
    'The known ETag. While the resource still has it, the response is 304.',
    '"7"',
  ),
  RequestId: parameter(
    'X-Request-Id',
    'An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.',
    'import-2026-03-14.17',
  ),
};

export function ifMatch(example: string): ParameterObject {
  const description = 'The ETag that was read. When the resource has another version, the response is 409.';
  return parameter('If-Match', description, example);
}

/** With an example for one operation alone: another one would be refused with the same key. */
export function idempotencyKey(operationId: string): ParameterObject {
  return parameter(
    'Idempotency-Key',
    'A key of your own for this request, such as a UUID. For 24 hours, the same request with the same key writes nothing and gets the first response again, also when the row has been changed or deleted since; another request with the key gets 422.',
    `${operationId}-4fd1b6d2`,
    { ...TEXT, pattern: BARE_KEY.source },
  );
}
