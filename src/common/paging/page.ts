import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { Int32 } from '../validation/decorators.js';
import { type About, Check, Fault, Field, Optional, type Rule, textRule } from '../validation/field.js';
import { responseOf } from '../validation/fields.js';
import { BOOLEAN, INT32, INT64, referencesTo, type Schema } from '../validation/schema.js';
import type { Direction, SortKey } from '../../database/lists/statement.js';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** Characters. Two texts of 255 characters of four octets, and ten short keys, need fewer. */
const LONGEST = 5120;
const BASE64URL = /^[\w-]*$/;

const isCursor = textRule('must be a cursor', (text) => text.length <= LONGEST && BASE64URL.test(text));

/** The page that is asked for. One that is not named is the first. */
export function PageNumber(): PropertyDecorator {
  const about = { default: 0, description: 'The page, counted from 0.', example: 0 };
  return applyDecorators(Int32({ min: 0, ...about }), Optional());
}

export function PageSize(): PropertyDecorator {
  const about = { max: MAX_PAGE_SIZE, description: 'The number of elements on a page.', example: 20 };
  return applyDecorators(Int32({ min: 1, ...about }), Optional({ fallback: DEFAULT_PAGE_SIZE }));
}

export function Cursor(): PropertyDecorator {
  const description =
    'In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.';
  return CursorText({ description, example: '' });
}

export function CursorText(about: About): PropertyDecorator {
  const schema: Schema = { type: 'string', maxLength: LONGEST, pattern: BASE64URL.source };
  return applyDecorators(Field(schema, about, Check('isCursor', isCursor)), Optional());
}

/** Which page of a list is asked for: by its number or by a cursor. */
export class PageQuery {
  @PageNumber() readonly page!: number | null;
  @PageSize() readonly size!: number;
  @Cursor() readonly cursor!: string | null;
}

/** The cursor of a search, whose other fields are a body. */
export class CursorQuery {
  @Cursor() readonly cursor!: string | null;
}

/** A page of a list in its order; a search has no `sort`. */
export type PageRequest = PageQuery & { readonly sort?: readonly SortKey[] };

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

const ANY_CASE = '([aA][sS][cC]|[dD][eE][sS][cC])';

const DIRECTION = `^${ANY_CASE}$`;
const isDirection = textRule('must be asc or desc', (text) => new RegExp(DIRECTION).test(text));

/** `asc` or `desc`, in any case, as {@link Direction}. */
export function SortOrder(about: About): PropertyDecorator {
  const direction = (text: string): string => text.toUpperCase();
  const check = Check('isSortDirection', isDirection, direction);
  return Field({ type: 'string', pattern: DIRECTION }, about, check);
}

/** `field`, `field,asc` or `field,desc`, once or repeated, as {@link SortKey}s: SQL is chosen from a list, never taken. */
export function SortKeys(allowed: readonly string[], about: About): PropertyDecorator {
  const pattern = `^(${allowed.join('|')})(,${ANY_CASE})?$`;
  const form = new RegExp(pattern);
  const fault = Fault.of(`must be field,asc or field,desc with a field of ${allowed.join(', ')}`);
  const isKey = (item: unknown): boolean => form.test(String(item));
  const areKeys: Rule = (input) => ([input].flat().every(isKey) ? undefined : fault);
  const schema: Schema = { type: 'array', items: { type: 'string', pattern } };
  return Field(schema, about, Check('areSortKeys', areKeys, sortKeys));
}

function sortKeys(input: string | string[]): SortKey[] {
  const keys = new Map<string, SortKey>();
  for (const item of [input].flat()) {
    const [field = '', order = 'asc'] = item.split(',');
    if (!keys.has(field)) keys.set(field, { field, direction: order.toUpperCase() as Direction });
  }
  return [...keys.values()];
}
