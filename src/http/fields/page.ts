import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { Fault, fieldReader, optional, requestOf, responseOf, type ValuesOf } from './fields.js';
import { inQuery } from './query.js';
import { BOOLEAN, INT32, INT64, referencesTo } from './schema.js';
import type { SortKey } from './sort.js';
import { int32 } from './values.js';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

const pageIndex = int32(0);
const pageSize = int32(1, MAX_PAGE_SIZE);

/** Two texts of 255 control characters, which are six octets each in JSON, and ten short keys, stay below. */
const MAX_CURSOR_LENGTH = 5120;
const BASE64URL = /^[\w-]*$/;

/** A cursor, given once. */
const cursor = fieldReader(
  { type: 'string', maxLength: MAX_CURSOR_LENGTH, pattern: BASE64URL.source },
  (input): string | Fault => {
    if (Array.isArray(input)) return Fault.of('must be given once');
    const isCursor = typeof input === 'string' && input.length <= MAX_CURSOR_LENGTH && BASE64URL.test(input);
    return isCursor ? input : Fault.of('must be a cursor');
  },
);

export const CURSOR = optional(cursor, {
  description:
    'In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.',
});
const ABOUT_SIZE = {
  fallback: DEFAULT_PAGE_SIZE,
  description: 'The number of elements on a page.',
  example: 20,
};
const ABOUT_PAGE = { default: 0, description: 'The page, counted from 0.', example: 0 };

/** The cursor of a search, whose other fields are a body. */
export class CursorQuery extends requestOf({ cursor: CURSOR }) {}

/** The fields of a list's query. */
export const PAGE_IN_QUERY = {
  page: optional(inQuery(pageIndex), ABOUT_PAGE),
  size: optional(inQuery(pageSize), ABOUT_SIZE),
  cursor: CURSOR,
};

/** The same in a body. */
export const PAGE_IN_BODY = {
  page: optional(pageIndex, ABOUT_PAGE),
  size: optional(pageSize, ABOUT_SIZE),
};

/** Which page is asked for: by its number, which is 0 when there is none, or by a cursor. A search has no `sort`. */
export type PageRequest = Readonly<ValuesOf<typeof PAGE_IN_QUERY>> & { readonly sort?: readonly SortKey[] };

/** The paged envelope around elements of one kind, as the API document names it. */
export function pagedEnvelope(element: Type, name: string): Type {
  @ApiSchema({ name })
  @ApiExtraModels(element)
  class Page extends responseOf({
    content: referencesTo(element),
    page: { ...INT32, minimum: 0, example: 0 },
    size: { ...INT32, minimum: 1, maximum: MAX_PAGE_SIZE, example: 20 },
    totalElements: { ...INT64, minimum: 0, description: 'On all pages together.', example: 1 },
    totalPages: { ...INT32, minimum: 0, example: 1 },
    last: { ...BOOLEAN, description: 'Whether no page follows.', example: true },
  }) {}
  return Page;
}
