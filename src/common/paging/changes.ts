import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { type Changes, type ChangesPlace, type GivenPlace, MOST_CHANGES } from '../../database/changes.js';
import type { Statement } from '../../database/database.js';
import type { Account } from '../../database/shares.js';
import { jsonObject, JsonText } from '../json/exact-json.js';
import { type ProblemError, validationFailed } from '../problems/problem.js';
import { Int32, Int64 } from '../validation/decorators.js';
import { Optional } from '../validation/field.js';
import { responseOf } from '../validation/fields.js';
import { enumOf, INSTANT, INT32, INT64, referencesTo, referenceTo, TEXT } from '../validation/schema.js';
import { CursorText } from './page.js';

/** From where a program follows the changes of one owner's rows. */
export class ChangesQuery {
  @CursorText({
    description:
      'The `next` of the page before, or the `Changes-Cursor` of an export. Without it, or empty, all rows come from the beginning.',
    example: '',
  })
  readonly cursor!: string | null;

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
  @ApiSchema({ name: `${name}Change` })
  @ApiExtraModels(element)
  class Change extends responseOf(
    {
      change: { ...enumOf(['written', 'deleted'], 'ChangeKind'), example: 'written' },
      at: { ...INSTANT, description: 'When its transaction began.', example: '2026-03-15T09:12:44.120Z' },
    },
    {
      version: { ...INT32, minimum: 1, description: `${written}: the number in the \`ETag\`.`, example: 1 },
      [noun]: { ...referenceTo(element), description: `${written}: the ${noun} as it is now.` },
      id: { ...INT64, description: 'Of `deleted` alone.' },
    },
  ) {}
  @ApiSchema({ name: `${name}Changes` })
  @ApiExtraModels(Change)
  class ChangesPage extends responseOf({
    changes: { ...referencesTo(Change), maxItems: MOST_CHANGES },
    next: { ...TEXT, description: 'The cursor to go on with, now or tomorrow.', example: 'NzQyLTE' },
  }) {}
  return ChangesPage;
}

/** What the API document says of an operation that reads such pages. */
export const changesFacts = (noun: string, type: Type) => ({
  description:
    'What was written or deleted since the cursor, oldest first. Keep `next` for tomorrow. Nothing that was committed is ' +
    `missed, however late; a change may come twice. While a transaction is open, later ones wait for it. A ${noun} comes as it is now.`,
  success: { description: 'At most 1,000 changes, or 1 MiB.', type },
  problems: ['not-found', 'cursor-expired'] as const,
});

/** Throws validation-failed for a cursor of something else, cursor-expired, and service-unavailable. */
export async function readChanges(
  changes: Changes,
  account: Account,
  statement: Statement,
  ownerId: string,
  { cursor, size }: ChangesQuery,
): Promise<JsonText> {
  const { content, next } = await changes.page(
    account,
    statement,
    ownerId,
    cursor ? placeOf(cursor) : undefined,
    size,
  );
  return jsonObject({
    changes: new JsonText(`[${content}]`),
    next: next === undefined ? '' : cursorOf(next),
  });
}

export function cursorOf({ history, since, at, id }: ChangesPlace): string {
  return Buffer.from([history, since, at, id].join(' ')).toString('base64url');
}

const INSTANT_TEXT = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const PLACE = new RegExp(`^[\\w-]+ ${INSTANT_TEXT} ${INSTANT_TEXT} \\d{1,19}$`);

/** It is input: PostgreSQL checks its values. */
function placeOf(cursor: string): GivenPlace {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!PLACE.test(text)) throw noCursor();
  const [history = '', since = '', at = '', id = ''] = text.split(' ');
  return { history, since, at, id, invalid: noCursor };
}

function noCursor(): ProblemError {
  return validationFailed({ cursor: 'must be a cursor of changes' });
}
