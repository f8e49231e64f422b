import type { Caller } from './caller.js';

/**
 * The rows that a statement may touch: those of one owner, or, for ADMIN, all. These are always two statements:
 * `($1 IS NULL OR owner_id = $1)` would hide the owner's key from the planner and from the reader.
 */
export type OwnerScope = { readonly ownerId: string } | 'every-owner';

export function scopeOf(caller: Caller): OwnerScope {
  return caller.role === 'ADMIN' ? 'every-owner' : { ownerId: caller.id };
}
