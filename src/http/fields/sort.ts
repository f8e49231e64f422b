import { Fault, type FieldReader, fieldReader } from './fields.js';

export type Direction = 'ASC' | 'DESC';

export interface SortKey<Field extends string = string> {
  readonly field: Field;
  readonly direction: Direction;
}

const ANY_CASE = '([aA][sS][cC]|[dD][eE][sS][cC])';

/** `asc` or `desc`, in any case. */
export const sortDirection = fieldReader(
  { type: 'string', pattern: `^${ANY_CASE}$` },
  (input: unknown): Direction | Fault => {
    const upper = typeof input === 'string' ? input.toUpperCase() : '';
    return upper === 'ASC' || upper === 'DESC' ? upper : Fault.of('must be asc or desc');
  },
);

/**
 * Reads `field`, `field,asc` or `field,desc`, given once or repeatedly. Only the allowed fields pass: what
 * becomes part of a statement is chosen from a list, never taken over. A field that comes again changes nothing.
 */
export function sortKeys<Field extends string>(allowed: readonly Field[]): FieldReader<SortKey<Field>[]> {
  const element = { type: 'string', pattern: `^(${allowed.join('|')})(,${ANY_CASE})?$` };
  return fieldReader({ type: 'array', items: element }, (input) => {
    const keys = new Map<Field, SortKey<Field>>();
    for (const item of Array.isArray(input) ? input : [input]) {
      const key = sortKey(allowed, String(item));
      if (key === undefined)
        return Fault.of(`must be field,asc or field,desc with a field of ${allowed.join(', ')}`);
      if (!keys.has(key.field)) keys.set(key.field, key);
    }
    return [...keys.values()];
  });
}

function sortKey<Field extends string>(allowed: readonly Field[], text: string): SortKey<Field> | undefined {
  const [name, order = 'asc', ...rest] = text.split(',');
  const field = allowed.find((value) => value === name);
  const direction = sortDirection(order);
  if (field === undefined || rest.length > 0 || direction instanceof Fault) return undefined;
  return { field, direction };
}
