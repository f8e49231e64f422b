import type { Body } from './bodies.js';
import type { JsonObject } from './difference.js';
import {
  callOf,
  CONFLICT,
  DELETED,
  invalid,
  invalidParts,
  NOT_FOUND,
  type Outcome,
  type Prediction,
} from './outcomes.js';
import { precondition } from './preconditions.js';
import type { Caller, Target } from './world.js';

/** A property or transaction, as far as all that is said of one of them is said of the other too. */
interface Resource {
  readonly version: number;
  readonly body: JsonObject;
}

/** What the path of a request names, and what there is. */
export interface Addressed<R extends Resource> {
  readonly caller: Caller;
  /** Of all of them. */
  readonly path: string;
  readonly target: Target;
  readonly found: R | undefined;
  /** The kind of its precondition. */
  readonly match: number;
}

export function readOne({ path, caller, target, found, match }: Addressed<Resource>): Prediction {
  const condition = precondition('If-None-Match', match, found?.version);
  const call = callOf(caller, 'GET', `${path}/${target.text}`, { headers: condition.headers });
  const refusal = refusalOf(target, found);
  if (refusal !== undefined) return { call, outcomes: [refusal] };
  const etag = { etag: `"${found!.version}"` };
  if (condition.weak) return { call, outcomes: [{ status: 304, headers: etag }] };
  return { call, outcomes: [{ status: 200, body: found!.body, headers: etag }] };
}

/** `refusals`: what else stands against it. */
export function putOne<R extends Resource>(
  { path, caller, target, found, match }: Addressed<R>,
  body: Body,
  refusals: readonly Outcome[],
  updated: (found: R) => Outcome,
): Prediction {
  const condition = precondition('If-Match', match, found?.version);
  const sent = { body: body.text, headers: condition.headers };
  const call = callOf(caller, 'PUT', `${path}/${target.text}`, sent);
  const faults = invalidParts(target.isWellFormed ? [] : ['id'], body.faults);
  if (faults.length > 0) return { call, outcomes: faults };
  if (found === undefined) return { call, outcomes: [NOT_FOUND] };
  const all = [...refusals, ...(condition.strong ? [] : [CONFLICT])];
  return { call, outcomes: all.length > 0 ? all : [updated(found)] };
}

export function deleteOne(
  { path, caller, target, found, match }: Addressed<Resource>,
  refusals: readonly Outcome[],
  forget: () => void,
): Prediction {
  const condition = precondition('If-Match', match, found?.version);
  const call = callOf(caller, 'DELETE', `${path}/${target.text}`, { headers: condition.headers });
  const refusal = refusalOf(target, found);
  if (refusal !== undefined) return { call, outcomes: [refusal] };
  const all = [...(condition.strong ? [] : [CONFLICT]), ...refusals];
  return { call, outcomes: all.length > 0 ? all : [{ ...DELETED, settle: forget }] };
}

/** Of a path to one resource. */
function refusalOf(target: Target, found: Resource | undefined): Outcome | undefined {
  if (!target.isWellFormed) return invalid(['id']);
  return found === undefined ? NOT_FOUND : undefined;
}
