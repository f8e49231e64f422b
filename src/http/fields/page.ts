import { JsonText } from '../json/exact-json.js';
import { cursor } from './cursors.js';
import { OptionalField } from './fields.js';
import { inQuery } from './query.js';
import { int32 } from './values.js';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export const pageIndex = int32(0);
export const pageSize = int32(1, MAX_PAGE_SIZE);

/** What is said of a cursor wherever one may be given. */
export const ABOUT_CURSOR = {
  description:
    'Instead of `page`: where the previous page ended, from the `Link` of its answer; an empty one starts at the beginning. Every page costs the same, however far one goes, and rows that are added or deleted meanwhile neither hide nor repeat others.',
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

/** Which page is asked for: by its number, which is 0 when there is none, or by a cursor. */
export interface PageRequest {
  readonly page: number | null;
  readonly size: number;
  readonly cursor: string | null;
}

/** What an envelope tells of a page. */
export interface PageFacts {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly last: boolean;
}

/** A page as the database gives it: the elements are JSON text, separated by commas. */
export interface PageRows extends PageFacts {
  readonly content: string;
}

export function pageEnvelope({ content, page, size, total, last }: PageRows): JsonText {
  const totalPages = Math.ceil(total / size);
  return new JsonText(
    `{"content":[${content}],"page":${page},"size":${size},"totalElements":${total},"totalPages":${totalPages},"last":${last}}`,
  );
}

/** An empty result has no page at all, and yet is the last. */
export function isLastPage({ page, size, total }: Omit<PageFacts, 'last'>): boolean {
  return page >= Math.ceil(total / size) - 1;
}
