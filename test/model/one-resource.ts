import type { JsonObject } from './difference.js';
import {
  callOf,
  CONFLICT,
  DELETED,
  invalid,
  NOT_FOUND,
  type Outcome,
  type Prediction,
  refused,
} from './outcomes.js';
import { precondition } from './preconditions.js';
import type { Caller, Target } from './world.js';

/** A property or transaction, as far as all that is said of one of them is said of the other too. */
interface Resource {
  readonly version: number;
  readonly body: JsonObject;
}

/** GET of `path`/{id}. */
export function readOne(
  path: string,
  caller: Caller,
  target: Target,
  found: Resource | undefined,
  match: number,
): Prediction {
  const condition = precondition('If-None-Match', match, found?.version);
  const call = callOf(caller, 'GET', `${path}/${target.text}`, { headers: condition.headers });
  const refusal = refusalOf(target, found);
  if (refusal !== undefined) return { call, outcomes: [refusal] };
  const etag = { etag: `"${found!.version}"` };
  if (condition.weak) return { call, outcomes: [{ status: 304, headers: etag }] };
  return { call, outcomes: [{ status: 200, body: found!.body, headers: etag }] };
}

/** DELETE of `path`/{id}. */
export function deleteOne(
  path: string,
  caller: Caller,
  target: Target,
  found: Resource | undefined,
  match: number,
  { isInUse = false, forget }: { readonly isInUse?: boolean; readonly forget: () => void },
): Prediction {
  const condition = precondition('If-Match', match, found?.version);
  const call = callOf(caller, 'DELETE', `${path}/${target.text}`, { headers: condition.headers });
  const refusal = refusalOf(target, found);
  if (refusal !== undefined) return { call, outcomes: [refusal] };
  const conflicts = [
    ...(condition.strong ? [] : [CONFLICT]),
    ...(isInUse ? [refused('resource-in-use')] : []),
  ];
  return { call, outcomes: conflicts.length > 0 ? conflicts : [{ ...DELETED, settle: forget }] };
}

/** Of a path to one resource. */
function refusalOf(target: Target, found: Resource | undefined): Outcome | undefined {
  if (!target.isWellFormed) return invalid(['id']);
  return found === undefined ? NOT_FOUND : undefined;
}
