import { Fault, type FieldReader, fieldReader, textReader } from '../validation/fields.js';

export type Direction = 'ASC' | 'DESC';

export interface SortKey<Field extends string = string> {
  readonly field: Field;
  readonly direction: Direction;
}

const ANY_CASE = '([aA][sS][cC]|[dD][eE][sS][cC])';

/** `asc` or `desc`, in any case. */
export const sortDirection = textReader(
  { type: 'string', pattern: `^${ANY_CASE}$` },
  'must be asc or desc',
  (text) => (['ASC', 'DESC'] as const).find((direction) => direction === text.toUpperCase()),
);

/**
 * Reads `field`, `field,asc` or `field,desc`, given once or repeatedly. Only the allowed fields pass: what
 * becomes part of a statement is chosen from a list, never taken over. A field that comes again changes nothing.
 */
export function sortKeys<Field extends string>(allowed: readonly Field[]): FieldReader<SortKey<Field>[]> {
  const pattern = `^(${allowed.join('|')})(,${ANY_CASE})?$`;
  const form = new RegExp(pattern);
  return fieldReader({ type: 'array', items: { type: 'string', pattern } }, (input) => {
    const keys = new Map<string, SortKey<Field>>();
    for (const item of [input].flat()) {
      const [, field, , order = 'asc'] = form.exec(String(item)) ?? [];
      if (field === undefined)
        return Fault.of(`must be field,asc or field,desc with a field of ${allowed.join(', ')}`);
      const key = { field: field as Field, direction: order.toUpperCase() as Direction };
      if (!keys.has(field)) keys.set(field, key);
    }
    return [...keys.values()];
  });
}
