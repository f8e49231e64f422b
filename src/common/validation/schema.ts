import type { Type } from '@nestjs/common';
import { getSchemaPath, type SchemaObject } from '@nestjs/swagger';

/** A JSON Schema of a field as @nestjs/swagger takes it: `nullable` stands beside a single `type`. */
export type Schema = Omit<SchemaObject, 'exclusiveMaximum' | 'example' | 'default'> & {
  exclusiveMaximum?: number;
  default?: unknown;
  example?: unknown;
  /** The component that an enumeration becomes, so that clients have one type for it. */
  enumName?: string;
  /** What every key of an object must be. */
  propertyNames?: SchemaObject;
};

/** Elements of a list, or members of a map, that a request may have. */
export const MAX_PARTS = 1000;

/** PostgreSQL's text cannot hold U+0000. */
export const STORABLE = '^[^\\u0000]*$';

export const BOOLEAN = { type: 'boolean' } satisfies Schema;
export const TEXT = { type: 'string' } satisfies Schema;
export const INT32 = { type: 'integer', format: 'int32' } satisfies Schema;
export const INT64 = { type: 'integer', format: 'int64' } satisfies Schema;
/** An exact decimal; a reader that takes it for a double loses digits beyond 2^53. */
export const MONEY = { type: 'number', format: 'decimal', multipleOf: 0.01 } satisfies Schema;
/** Amounts added up may have so many digits that doubles, in which validators calculate, are no multiples any more. */
export const SUM = { type: 'number', format: 'decimal' } satisfies Schema;
/** A generated client has a type of its own for an instant, to which no pattern can be applied. */
export const INSTANT = { type: 'string', format: 'date-time' } satisfies Schema;
export const STRING_MAP = {
  type: 'object',
  maxProperties: MAX_PARTS,
  additionalProperties: { type: 'string', pattern: STORABLE },
  propertyNames: { pattern: STORABLE, not: { enum: ['__proto__'] } },
} satisfies Schema;

/** One of the texts. `enumName` is what the API document calls the enumeration. */
export function enumOf(values: readonly string[], enumName?: string) {
  return { type: 'string', enum: [...values], ...(enumName !== undefined && { enumName }) } satisfies Schema;
}

/** The schema of another class, which has to be among its @ApiExtraModels. */
export function referenceTo(type: Type): Schema {
  return { type: 'object', allOf: [{ $ref: getSchemaPath(type) }] };
}

/** A list of objects of another class, as {@link referenceTo}. */
export function referencesTo(type: Type): Schema {
  return { type: 'array', items: { $ref: getSchemaPath(type) } };
}
