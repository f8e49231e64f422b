import type { Direction, SortKey } from '../../database/lists/list-statement.js';
import { type About, Check, Fault, Field, type Rule, textRule } from '../validation/field.js';
import type { Schema } from '../validation/schema.js';

const ANY_CASE = '([aA][sS][cC]|[dD][eE][sS][cC])';

const DIRECTION = `^${ANY_CASE}$`;
const isDirection = textRule('must be asc or desc', (text) => new RegExp(DIRECTION).test(text));

/** `asc` or `desc`, in any case, as {@link Direction}. */
export function SortDirection(about: About): PropertyDecorator {
  const direction = (text: string): string => text.toUpperCase();
  return Field(
    { type: 'string', pattern: DIRECTION },
    about,
    Check('isSortDirection', isDirection, direction),
  );
}

/**
 * `field`, `field,asc` or `field,desc`, given once or repeatedly, as {@link SortKey}s. Only the allowed fields pass: SQL is
 * chosen from a list, never taken from a client. A field that comes again changes nothing.
 */
export function SortKeys(allowed: readonly string[], about: About): PropertyDecorator {
  const pattern = `^(${allowed.join('|')})(,${ANY_CASE})?$`;
  const form = new RegExp(pattern);
  const fault = Fault.of(`must be field,asc or field,desc with a field of ${allowed.join(', ')}`);
  const areKeys: Rule = (input) =>
    [input].flat().every((item) => form.test(String(item))) ? undefined : fault;
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
