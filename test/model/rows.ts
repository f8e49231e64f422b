import type { Body } from './bodies.js';
import {
  callOf,
  CONFLICT,
  invalid,
  invalidParts,
  NOT_FOUND,
  type Outcome,
  type Prediction,
  refused,
} from './outcomes.js';
import type { Caller, Ref, Rows, World } from './world.js';

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

type Kind = keyof Rows;

/** A row by its id, and the number of a condition. */
export interface Matched {
  readonly id: Ref;
  readonly match: number;
}

/** The call, and a refusal for its path. */
function asked<K extends Kind>(
  world: World,
  caller: Caller,
  kind: K,
  { id, match }: Matched,
  method: string,
) {
  const target = world.target(kind, id, caller);
  const found = world.found(kind, target, caller);
  const { header, ...condition } = CONDITIONS[match % CONDITIONS.length]!;
  const value = header(found?.version ?? 1);
  const name = method === 'GET' ? 'If-None-Match' : 'If-Match';
  const headers: Record<string, string> = value === undefined ? {} : { [name]: value };
  const call = callOf(caller, method, `/api/${kind}/${target.text}`, { headers });
  return { call, condition, found, inPath: target.isWellFormed ? [] : ['id'] };
}

export function reading(kind: Kind) {
  return (world: World, caller: Caller, command: Matched): Prediction => {
    const { call, condition, found, inPath } = asked(world, caller, kind, command, 'GET');
    if (inPath.length > 0) return { call, outcomes: [invalid(inPath)] };
    if (found === undefined) return { call, outcomes: [NOT_FOUND] };
    const headers = { etag: `"${found.version}"` };
    const outcome = condition.weak ? { status: 304, headers } : { status: 200, body: found.body, headers };
    return { call, outcomes: [outcome] };
  };
}

/** `refusals`: further reasons against it. */
export function putOne<K extends Kind>(
  world: World,
  caller: Caller,
  kind: K,
  command: Matched,
  { text, faults }: Body,
  refusals: readonly Outcome[],
  updated: (found: Rows[K], version: number) => Outcome,
): Prediction {
  const { call: asks, condition, found, inPath } = asked(world, caller, kind, command, 'PUT');
  const call = { ...asks, body: text };
  const invalidOnes = invalidParts(inPath, faults);
  if (invalidOnes.length > 0) return { call, outcomes: invalidOnes };
  if (found === undefined) return { call, outcomes: [NOT_FOUND] };
  const all = [...refusals, ...(condition.strong ? [] : [CONFLICT])];
  if (all.length > 0) return { call, outcomes: all };
  const version = found.version + 1;
  const headers = { etag: `"${version}"`, location: undefined };
  return { call, outcomes: [{ ...updated(found, version), headers }] };
}

/** Transactions keep their property. */
export function deleting(kind: Kind) {
  return (world: World, caller: Caller, command: Matched): Prediction => {
    const { call, condition, found, inPath } = asked(world, caller, kind, command, 'DELETE');
    if (inPath.length > 0) return { call, outcomes: [invalid(inPath)] };
    if (found === undefined) return { call, outcomes: [NOT_FOUND] };
    const all = condition.strong ? [] : [CONFLICT];
    const isUsed = [...world.transactions.values()].some(({ propertyId }) => propertyId === found.id);
    if (kind === 'properties' && isUsed) all.push(refused('resource-in-use'));
    const settle = (): void => void world[kind].delete(found.id);
    return { call, outcomes: all.length > 0 ? all : [{ status: 200, settle }] };
  };
}
