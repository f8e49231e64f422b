import type { JsonObject } from './difference.js';
import { invalid, NOT_FOUND, type Outcome, type Prediction } from './outcomes.js';
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
  const call = {
    method: 'GET',
    target: `${path}/${target.text}`,
    token: caller.token,
    headers: condition.headers,
  };
  const refusal = refusalOf(target, found);
  if (refusal !== undefined) return { call, outcomes: [refusal] };
  const etag = { etag: `"${found!.version}"` };
  if (condition.weak) return { call, outcomes: [{ status: 304, headers: etag }] };
  return { call, outcomes: [{ status: 200, body: found!.body, headers: etag }] };
}

/** Of a path to one resource. */
export function refusalOf(target: Target, found: Resource | undefined): Outcome | undefined {
  if (!target.isWellFormed) return invalid(['id']);
  return found === undefined ? NOT_FOUND : undefined;
}
