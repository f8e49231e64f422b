import type { HeaderObject, HeadersObject, ParameterObject } from '@nestjs/swagger';
import { REQUEST_ID, SECURITY_HEADERS } from '../http/edge/headers.js';
import { TEXT } from '../http/fields/schema.js';
import { BARE_KEY } from '../http/edge/idempotency-key.js';

const header = (
  description: string,
  schema: HeaderObject['schema'] = TEXT,
  required = true,
): HeaderObject => ({ description, schema, required });

/** The headers of responses, as `components.headers`, without those of HTTP/1.1 itself (Date, …). */
export const HEADERS: Readonly<Record<string, HeaderObject>> = {
  'X-Request-Id': header('The id of the request: its own, or a new one.', {
    ...TEXT,
    pattern: REQUEST_ID.source,
  }),
  ...Object.fromEntries(
    Object.entries(SECURITY_HEADERS).map(([name, value]) => [
      titleCase(name),
      header('The same in every response.', { ...TEXT, enum: [value] }),
    ]),
  ),
  ETag: header('The version of the resource, for `If-Match` and `If-None-Match`.', {
    ...TEXT,
    pattern: '^"\\d+"$',
  }),
  Location: header('The path of the new resource.', { ...TEXT, format: 'uri-reference' }),
  'Content-Disposition': header('The name of the file.', {
    ...TEXT,
    pattern: '^attachment; filename="[a-z.]+"$',
  }),
  Link: header(
    'The next page, while one follows: `<target>; rel="next"` (RFC 8288), with a `cursor`.',
    { ...TEXT, pattern: '^<[^>]+>; rel="next"$' },
    false,
  ),
  'Idempotent-Replayed': header(
    'The response to an earlier request with the same `Idempotency-Key`.',
    { ...TEXT, enum: ['true'] },
    false,
  ),
  'WWW-Authenticate': header(
    'The challenge of RFC 6750, with `error="invalid_token"` when a token was sent.',
  ),
  Allow: header('The methods of the path.', { ...TEXT, pattern: '^[A-Z]+(, [A-Z]+)*$' }),
  'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1 }),
};

const COMMON = ['X-Request-Id', ...Object.keys(SECURITY_HEADERS).map(titleCase)];

const OF_PROBLEM: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

export function headersOf(more: readonly string[] = []): HeadersObject {
  return Object.fromEntries(
    [...more, ...COMMON].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

export function headersOfProblem(status: number): HeadersObject {
  return headersOf(OF_PROBLEM[status]);
}

function titleCase(name: string): string {
  return name.replace(/(?:^|-)\w/g, (start) => start.toUpperCase());
}

/** The request headers that the service reads, as `components.parameters`. */
export const HEADER_PARAMETERS: Readonly<Record<string, ParameterObject>> = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag that was read. When the resource has another version, the response is 409.',
    schema: TEXT,
    example: '"1"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The known ETag. While the resource still has it, the response is 304.',
    schema: TEXT,
    example: '"7"',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key of your own for this request, such as a UUID. For 24 hours, the same request with the same key writes nothing and gets the first response again; another request with the key gets 422.',
    schema: { ...TEXT, pattern: BARE_KEY.source },
    example: '4fd1b6d2-6b1c-4c3e-9f0a-2d9c1b7e5a10',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.',
    schema: TEXT,
    example: 'import-2026-03-14.17',
  },
};
