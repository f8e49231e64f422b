import type { OwnerScope } from '../../database/lists/list-statement.js';
import type { Caller } from './caller.js';

/** The rows that a caller may touch: the own ones, or, for ADMIN, all. */
export function scopeOf(caller: Caller): OwnerScope {
  return caller.role === 'ADMIN' ? 'every-owner' : { ownerId: caller.id };
}
