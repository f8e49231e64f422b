import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { Fault } from './fields.js';
import { inQuery } from './query.js';
import { validationFailed } from '../problem/problem.js';
import { int64 } from './values.js';

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
