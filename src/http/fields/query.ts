import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { JsonNumber } from '../json/json-parser.js';
import { Fault, type FieldReader, fieldReader, type Fields, requestOf, type ValuesOf } from './fields.js';
import { validationFailed } from '../problem/problem.js';
import { BOOLEAN } from './schema.js';
import { int64 } from './values.js';

/** Plain decimal digits with an optional minus, as path ids and query integers are written. */
const PLAIN_INTEGER = /^-?(0|[1-9]\d{0,30})$/;

/** The query of an operation beyond the contract, where an unknown parameter is a fault. The contract's lists ignore one. */
export class StrictQuery {
  declare readonly isStrict?: true;
}

/** What the class of such a query extends. */
export function strictQueryOf<Declared extends Fields>(fields: Declared): Type<ValuesOf<Declared>> {
  return requestOf(fields, StrictQuery);
}

/** A query parameter that is given once and holds a plain integer, read as that integer is in a body. */
export function inQuery<T>(read: FieldReader<T>): FieldReader<T> {
  return fieldReader(read.schema, (input) => {
    if (Array.isArray(input)) return Fault.of('must be given once');
    return typeof input === 'string' && PLAIN_INTEGER.test(input)
      ? read(new JsonNumber(input))
      : Fault.of('must be a whole number');
  });
}

/** A query parameter that is given once, and is `true` or `false`. */
export const flagInQuery = fieldReader(BOOLEAN, (input: unknown): boolean | Fault =>
  input === 'true' || input === 'false' ? input === 'true' : Fault.of('must be true or false'),
);

const readId = inQuery(int64);

/** A path parameter that is a 64-bit id → its decimal digits. Throws validation-failed under the parameter's name. */
@Injectable()
export class Int64Pipe implements PipeTransform<string, string> {
  transform(value: string, { data }: ArgumentMetadata): string {
    const id = readId(value);
    if (id instanceof Fault) throw validationFailed({ [data ?? 'id']: 'must be a whole number of 64 bits' });
    return id;
  }
}
