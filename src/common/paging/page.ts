import { applyDecorators, type Type } from '@nestjs/common';
import { ApiSchema, PickType } from '@nestjs/swagger';
import { Int32 } from '../validation/decorators.js';
import { type About, Also, Check, Fault, Field, Optional, type Rule, textRule } from '../validation/field.js';
import { responseOf } from '../validation/fields.js';
import { BOOLEAN, INT32, INT64, type Schema } from '../validation/schema.js';
import { JsonNumber, type JsonObject } from '../json/json-parser.js';
import type { PagePlace } from '../../database/lists/page-rows.js';
import type { Direction, SortKey } from '../../database/lists/statement.js';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** Characters. Two texts of 255 characters of four octets, and ten short keys, need fewer. */
const LONGEST = 5120;
const BASE64URL = /^[\w-]*$/;

/** A parameter with a cursor, and the value that `read` makes of it: undefined for a text that is none. */
export function CursorText(about: About, noun: string, read: (text: string) => unknown): PropertyDecorator {
  const schema: Schema = { type: 'string', maxLength: LONGEST, pattern: BASE64URL.source };
  const isCursor = (text: string): boolean =>
    text.length <= LONGEST && BASE64URL.test(text) && read(text) !== undefined;
  return applyDecorators(
    Field(schema, about, Check('isCursor', textRule(`must be ${noun}`, isCursor), read)),
    Optional(),
  );
}

/** Page, total and a text for each sort key, behind a NUL each: no text of PostgreSQL has one. */
const CURSOR = /^\d{1,9}\0\d{1,15}\0/;

export function writeCursor(page: number, total: number, position: readonly string[]): string {
  return Buffer.from([page, total, ...position].join('\0')).toString('base64url');
}

/** It is input: PostgreSQL checks the types of its texts. */
function readCursor(text: string): PagePlace | undefined {
  if (text === '') return { page: 0 };
  const decoded = Buffer.from(text, 'base64url').toString();
  const [page, total, ...position] = decoded.split('\0');
  return CURSOR.test(decoded) ? { page: Number(page), total: Number(total), position } : undefined;
}

/** Clients send the default page beside a cursor. */
const isOnFirst = (_: string, { page }: JsonObject): boolean =>
  !(page instanceof JsonNumber && Number(page.text) > 0);

/** Which page of a list is asked for: by its number or by a cursor. */
export class PageQuery {
  static readonly lenient: boolean = true;

  /** The first one where none is named. */
  @Optional()
  @Int32({ min: 0, default: 0, description: 'The page, counted from 0.', example: 0 })
  readonly page!: number | null;

  @Optional({ fallback: DEFAULT_PAGE_SIZE })
  @Int32({ min: 1, max: MAX_PAGE_SIZE, description: 'The number of elements on a page.', example: 20 })
  readonly size!: number;

  @Also('must not be given together with page', isOnFirst)
  @CursorText(
    {
      description:
        'In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.',
      example: '',
    },
    'a cursor',
    readCursor,
  )
  readonly cursor!: PagePlace | null;
}

/** The cursor of a search, whose other fields are a body. */
export class CursorQuery extends PickType(PageQuery, ['cursor']) {
  static readonly lenient = true;
}

/** A page of a list in its order; a search has no `sort`. */
export type PageRequest = PageQuery & { readonly sort?: readonly SortKey[] };

/** The paged envelope around elements of one kind, as the API document names it. */
export function pagedEnvelope(element: Type, name: string): Type {
  @ApiSchema({ name })
  class Page extends responseOf({
    content: { type: [element] },
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
const upperCase = (text: string): string => text.toUpperCase();
const isDirection = textRule('must be asc or desc', (text) => new RegExp(DIRECTION).test(text));

/** `asc` or `desc`, in any case, as {@link Direction}. */
export const SortOrder = (about: About) =>
  Field({ type: 'string', pattern: DIRECTION }, about, Check('isSortDirection', isDirection, upperCase));

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
