import type { Type } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { type Changes, type ChangesPlace, MOST_CHANGES } from '../../database/changes.js';
import { jsonObject, JsonText } from '../json/exact-json.js';
import { instantOf } from '../validation/calendar.js';
import { Int32, Int64, isId } from '../validation/decorators.js';
import { Optional } from '../validation/field.js';
import { responseOf } from '../validation/fields.js';
import { enumOf, INSTANT, INT32, INT64, TEXT } from '../validation/schema.js';
import { CursorText } from './page.js';

/** Where a program goes on with the changes of one owner's rows. */
export class ChangesQuery {
  @CursorText(
    {
      description:
        'The `next` of the page before, or the `Changes-Cursor` of an export. Without it, or empty, all rows come from the beginning.',
      example: '',
    },
    'a cursor of changes',
    (text) => (text === '' ? null : placeOf(text)),
  )
  readonly cursor!: ChangesPlace | null;

  @Optional({ fallback: MOST_CHANGES })
  @Int32({ min: 1, max: MOST_CHANGES, description: 'The most changes of the page.', example: 100 })
  readonly size!: number;

  @Optional()
  @Int64({ description: 'The account whose rows are meant: for an ADMIN anybody’s. Your own when left out.' })
  readonly ownerId!: string | null;
}

/** A page of changes to elements of one kind, as the API document names it. */
export function changesOf(element: Type, name: string): Type {
  const noun = name.toLowerCase();
  const written = `Of \`written\` alone`;
  const version = { ...INT32, required: false, minimum: 1, example: 1 };
  @ApiSchema({ name: `${name}Change` })
  class Change extends responseOf({
    change: { ...enumOf(['written', 'deleted'], 'ChangeKind'), example: 'written' },
    at: { ...INSTANT, description: 'When its transaction began.', example: '2026-03-15T09:12:44.120Z' },
    version: { ...version, description: `${written}: the number in the \`ETag\`.` },
    [noun]: { type: element, required: false, description: `${written}: the ${noun} as it is now.` },
    id: { ...INT64, required: false, description: 'Of `deleted` alone.' },
  }) {}
  @ApiSchema({ name: `${name}Changes` })
  class Page extends responseOf({
    changes: { type: [Change], maxItems: MOST_CHANGES },
    next: { ...TEXT, description: 'The cursor to go on with, now or tomorrow.', example: 'NzQyLTE' },
  }) {}
  return Page;
}

/** What the API document says of an operation that reads such pages. */
export const changesFacts = (nouns: string, type: Type) => ({
  summary: `Follow the changes of ${nouns}`,
  description:
    'What was written or deleted since the cursor, oldest first. Keep `next` for tomorrow. Nothing that was committed is ' +
    `missed, however late; a change may come twice. While a transaction is open, later ones wait for it. The ${nouns} come as they are now.`,
  success: { description: 'At most 1,000 changes, or 1 MiB.', type },
  problems: ['not-found', 'cursor-expired'] as const,
});

/** PropertyChanges, or TransactionChanges. */
export function changesJson({ content, next }: Awaited<ReturnType<Changes['page']>>): JsonText {
  return jsonObject({ changes: new JsonText(`[${content}]`), next: next === null ? '' : cursorOf(next) });
}

export function cursorOf({ history, since, at, id }: ChangesPlace): string {
  return Buffer.from([history, since, at, id].join(' ')).toString('base64url');
}

/** Undefined for a text that is no cursor of changes: it is input. */
function placeOf(cursor: string): ChangesPlace | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, history = '', since = '', at = '', id = ''] = /^([\w-]+) (\S+) (\S+) (\d+)$/.exec(text) ?? [];
  const isPlace = instantOf(since) === since && instantOf(at) === at && (id === '0' || isId(id));
  return isPlace ? { history, since, at, id } : undefined;
}
