import { JsonText } from '../json/exact-json.js';
import { Fault, OptionalField, type FieldReader, fieldReader } from './fields.js';
import { BOOLEAN } from './schema.js';
import { int32 } from './values.js';
import { JsonNumber } from '../json/json-parser.js';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export const pageIndex = int32(0);
export const pageSize = int32(1, MAX_PAGE_SIZE);

/** Plain decimal digits with an optional minus, as path ids and query integers are written. */
export const PLAIN_INTEGER = /^-?(0|[1-9]\d{0,30})$/;

/** A query parameter that is given once and holds a plain integer, read as that integer is in a body. */
export function inQuery<T>(read: FieldReader<T>): FieldReader<T> {
  return fieldReader(read.schema, (wire) => {
    if (Array.isArray(wire)) return Fault.of('must be given once');
    return typeof wire === 'string' && PLAIN_INTEGER.test(wire)
      ? read(new JsonNumber(wire))
      : Fault.of('must be a whole number');
  });
}

/** A query parameter that is given once, and is `true` or `false`. */
export const flagInQuery = fieldReader(BOOLEAN, (wire: unknown): boolean | Fault =>
  wire === 'true' || wire === 'false' ? wire === 'true' : Fault.of('must be true or false'),
);

/** The query of every list; each list adds its `sort`. */
export class PageQuery {
  @OptionalField(inQuery(pageIndex), { fallback: 0, description: 'The page, counted from 0.', example: 0 })
  page!: number;

  @OptionalField(inQuery(pageSize), {
    fallback: DEFAULT_PAGE_SIZE,
    description: 'The number of elements on a page.',
    example: 20,
  })
  size!: number;
}

export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

/** A page as the database gives it: the elements as JSON text, separated by commas, and how many there are in all. */
export interface PageRows {
  readonly content: string;
  readonly total: number;
}

export function pageEnvelope(request: PageRequest, { content, total }: PageRows): JsonText {
  const [head, tail] = pageFrame(request, total);
  return new JsonText(head + content + tail);
}

/** What stands before and behind the content. An empty result has no page at all, and yet is the last. */
export function pageFrame({ page, size }: PageRequest, total: number): [head: string, tail: string] {
  const totalPages = Math.ceil(total / size);
  const last = page >= totalPages - 1;
  return [
    '{"content":[',
    `],"page":${page},"size":${size},"totalElements":${total},"totalPages":${totalPages},"last":${last}}`,
  ];
}
