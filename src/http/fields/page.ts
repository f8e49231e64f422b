import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { Fault, fieldReader, OptionalField, Returned } from './fields.js';
import { inQuery } from './query.js';
import { BOOLEAN, INT32, INT64, referencesTo } from './schema.js';
import type { SortKey } from './sort.js';
import { int32 } from './values.js';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export const pageIndex = int32(0);
export const pageSize = int32(1, MAX_PAGE_SIZE);

/** Two texts of 255 control characters, which are six octets each in JSON, and ten short keys, stay below. */
const MAX_CURSOR_LENGTH = 5120;
const BASE64URL = /^[\w-]*$/;

/** A cursor, given once. */
export const cursor = fieldReader(
  { type: 'string', maxLength: MAX_CURSOR_LENGTH, pattern: BASE64URL.source },
  (input): string | Fault => {
    if (Array.isArray(input)) return Fault.of('must be given once');
    const isCursor = typeof input === 'string' && input.length <= MAX_CURSOR_LENGTH && BASE64URL.test(input);
    return isCursor ? input : Fault.of('must be a cursor');
  },
);

/** What is said of a cursor wherever one may be given. */
export const ABOUT_CURSOR = {
  description:
    'In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.',
};
export const ABOUT_SIZE = {
  fallback: DEFAULT_PAGE_SIZE,
  description: 'The number of elements on a page.',
  example: 20,
};
export const ABOUT_PAGE = { default: 0, description: 'The page, counted from 0.', example: 0 };

/** The cursor of a search, whose other fields are a body. */
export class CursorQuery {
  @OptionalField(cursor, ABOUT_CURSOR)
  cursor!: string | null;
}

/** The query of every list; each list adds its `sort`. */
export class PageQuery {
  @OptionalField(inQuery(pageIndex), ABOUT_PAGE)
  page!: number | null;

  @OptionalField(inQuery(pageSize), ABOUT_SIZE)
  size!: number;

  @OptionalField(cursor, ABOUT_CURSOR)
  cursor!: string | null;
}

/** Which page is asked for: by its number, which is 0 when there is none, or by a cursor. A search has no `sort`. */
export type PageRequest = Readonly<PageQuery> & { readonly sort?: readonly SortKey[] };

/** The paged envelope around elements of one kind, as the API document names it. */
export function pagedEnvelope(element: Type, name: string): Type {
  @ApiSchema({ name })
  @ApiExtraModels(element)
  class Page {
    @Returned(referencesTo(element))
    content!: unknown[];

    @Returned({ ...INT32, minimum: 0, example: 0 })
    page!: number;

    @Returned({ ...INT32, minimum: 1, maximum: MAX_PAGE_SIZE, example: 20 })
    size!: number;

    @Returned({ ...INT64, minimum: 0, description: 'On all pages together.', example: 1 })
    totalElements!: string;

    @Returned({ ...INT32, minimum: 0, example: 1 })
    totalPages!: number;

    @Returned({ ...BOOLEAN, description: 'Whether no page follows.', example: true })
    last!: boolean;
  }
  return Page;
}
