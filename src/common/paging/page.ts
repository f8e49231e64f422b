import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { optional, requestOf, responseOf, textReader, type ValuesOf } from '../validation/fields.js';
import { BOOLEAN, INT32, INT64, referencesTo } from '../validation/schema.js';
import type { SortKey } from './sort.js';
import { int32 } from '../validation/values.js';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** Two texts of 255 characters of four octets each, and ten short keys, stay below. */
const MAX_CURSOR_LENGTH = 5120;
const BASE64URL = /^[\w-]*$/;

const cursor = textReader(
  { type: 'string', maxLength: MAX_CURSOR_LENGTH, pattern: BASE64URL.source },
  'must be a cursor',
  (text) => (text.length <= MAX_CURSOR_LENGTH && BASE64URL.test(text) ? text : undefined),
);

export const PAGE = {
  page: optional(int32(0), { default: 0, description: 'The page, counted from 0.', example: 0 }),
  size: optional(int32(1, MAX_PAGE_SIZE), {
    fallback: DEFAULT_PAGE_SIZE,
    description: 'The number of elements on a page.',
    example: 20,
  }),
};

export const CURSOR = optional(cursor, {
  description:
    'In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.',
});

export const PAGE_OR_CURSOR = { ...PAGE, cursor: CURSOR };

/** The cursor of a search, whose other fields are a body. */
export class CursorQuery extends requestOf({ cursor: CURSOR }) {}

/** Which page is asked for: by its number, which is 0 when there is none, or by a cursor. A search has no `sort`. */
export type PageRequest = Readonly<ValuesOf<typeof PAGE_OR_CURSOR>> & { readonly sort?: readonly SortKey[] };

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
