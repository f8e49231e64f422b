import type { Body } from './bodies.js';
import {
  callOf,
  CONFLICT,
  invalid,
  invalidParts,
  NOT_FOUND,
  type Outcome,
  type Prediction,
} from './outcomes.js';
import type { Caller, ModelRow, Target } from './world.js';

/** An If-Match or If-None-Match header for a version. */
interface Condition {
  readonly header: (version: number) => string | undefined;
  /** As If-Match compares. */
  readonly strong: boolean;
  /** As If-None-Match compares. */
  readonly weak: boolean;
}

const NONE: Condition = { header: () => undefined, strong: true, weak: false };

const CONDITIONS: readonly Condition[] = [
  NONE,
  NONE,
  NONE,
  { header: (version) => `"${version}"`, strong: true, weak: true },
  { header: () => '*', strong: true, weak: true },
  { header: (version) => `"${version + 7}", "${version}"`, strong: true, weak: true },
  { header: (version) => `"${version - 1}"`, strong: false, weak: false },
  { header: (version) => `"${version + 1}"`, strong: false, weak: false },
  { header: (version) => `W/"${version}"`, strong: false, weak: true },
  { header: (version) => String(version), strong: false, weak: false },
  { header: () => '""', strong: false, weak: false },
];

/** The row in the path of a request. */
export interface Addressed<Row extends ModelRow> {
  readonly caller: Caller;
  /** Of all rows. */
  readonly path: string;
  readonly target: Target;
  readonly found: Row | undefined;
  /** Picks the condition. */
  readonly match: number;
}

function asked(one: Addressed<ModelRow>, method: string, header: string, body?: string) {
  const { caller, path, target, found, match } = one;
  const condition = CONDITIONS[match % CONDITIONS.length]!;
  const value = condition.header(found?.version ?? 1);
  const headers = value === undefined ? {} : { [header]: value };
  const rest = body === undefined ? { headers } : { headers, body };
  return { call: callOf(caller, method, `${path}/${target.text}`, rest), condition };
}

export function readOne(one: Addressed<ModelRow>): Prediction {
  const { call, condition } = asked(one, 'GET', 'If-None-Match');
  const { target, found } = one;
  if (!target.isWellFormed) return { call, outcomes: [invalid(['id'])] };
  if (found === undefined) return { call, outcomes: [NOT_FOUND] };
  const headers = { etag: `"${found.version}"` };
  const outcome = condition.weak ? { status: 304, headers } : { status: 200, body: found.body, headers };
  return { call, outcomes: [outcome] };
}

/** `refusals`: further reasons against it. */
export function putOne<Row extends ModelRow>(
  one: Addressed<Row>,
  body: Body,
  refusals: readonly Outcome[],
  updated: (found: Row, version: number) => Outcome,
): Prediction {
  const { call, condition } = asked(one, 'PUT', 'If-Match', body.text);
  const { target, found } = one;
  const faults = invalidParts(target.isWellFormed ? [] : ['id'], body.faults);
  if (faults.length > 0) return { call, outcomes: faults };
  if (found === undefined) return { call, outcomes: [NOT_FOUND] };
  const all = [...refusals, ...(condition.strong ? [] : [CONFLICT])];
  if (all.length > 0) return { call, outcomes: all };
  const version = found.version + 1;
  const headers = { etag: `"${version}"`, location: undefined };
  return { call, outcomes: [{ ...updated(found, version), headers }] };
}

export function deleteOne(
  one: Addressed<ModelRow>,
  refusals: readonly Outcome[],
  forget: () => void,
): Prediction {
  const { call, condition } = asked(one, 'DELETE', 'If-Match');
  if (!one.target.isWellFormed) return { call, outcomes: [invalid(['id'])] };
  if (one.found === undefined) return { call, outcomes: [NOT_FOUND] };
  const all = [...(condition.strong ? [] : [CONFLICT]), ...refusals];
  return { call, outcomes: all.length > 0 ? all : [{ status: 200, settle: forget }] };
}
