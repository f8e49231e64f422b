import type { Type } from '@nestjs/common';
import type { SchemaObject } from '@nestjs/swagger';

/** A JSON Schema of a field as @nestjs/swagger takes it: `nullable` stands beside a single `type`. */
export type Schema = Omit<SchemaObject, 'type' | 'example' | 'default'> & {
  /** A class, or a list of its objects, becomes a component of its own. */
  type?: SchemaObject['type'] | Type | [Type];
  default?: unknown;
  example?: unknown;
  /** The component that an enumeration becomes, so that clients have one type for it. */
  enumName?: string;
  /** And the names of its values, where these are signs. */
  enumSchema?: { readonly 'x-enum-varnames': readonly string[] };
  /** What every key of an object must be. */
  propertyNames?: SchemaObject;
};

export const MAX_PARTS = 1000;

export const BOOLEAN = { type: 'boolean' } satisfies Schema;
export const TEXT = { type: 'string' } satisfies Schema;
export const INT32 = { type: 'integer', format: 'int32' } satisfies Schema;
export const INT64 = { type: 'integer', format: 'int64' } satisfies Schema;
/** An exact decimal, as every `number` here: a reader that takes it for a double loses digits beyond 2^53. */
export const MONEY = { type: 'number', multipleOf: 0.01 } satisfies Schema;
/** Without `multipleOf`: validators calculate in doubles, in which a long sum of amounts is no multiple. */
export const SUM = { type: 'number' } satisfies Schema;
/** Without a pattern: generated clients have a type of their own for an instant, which takes none. */
export const INSTANT = { type: 'string', format: 'date-time' } satisfies Schema;
export const STRING_MAP = {
  type: 'object',
  maxProperties: MAX_PARTS,
  additionalProperties: { type: 'string' },
  propertyNames: { not: { enum: ['__proto__'] } },
} satisfies Schema;

/** One of the texts. The names are those of the enumeration and, where they are signs, of its values. */
export function enumOf(values: readonly string[], enumName?: string, valueNames?: readonly string[]) {
  const named = enumName !== undefined && { enumName };
  const names = valueNames && { enumSchema: { 'x-enum-varnames': valueNames } };
  return { type: 'string', enum: [...values], ...named, ...names } satisfies Schema;
}
