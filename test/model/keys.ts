import {
  type Answered,
  type Call,
  invalid,
  NOT_FOUND,
  type Outcome,
  type Prediction,
  refused,
} from './outcomes.js';
import type { Keyed } from './commands.js';
import type { JsonObject } from './difference.js';
import { numberIn } from './unknowns.js';
import type { Caller, KeptAnswer, ModelProperty, World } from './world.js';

/** What is longer is not kept of one row: the repetition is given the row as it is. */
const MOST_KEPT = 16_384;

/** In quotes, as the draft has it, or bare, as most send it. */
export function keyHeader(key: Keyed['key']): Record<string, string> {
  if (key === undefined) return {};
  return { 'Idempotency-Key': key % 2 === 0 ? `key-${key}` : `"key-${key}"` };
}

/** Among whose rows a transaction's key is: an ADMIN's are among those of the property's owner, if there is one. */
export function ownerFor({ account }: Caller, property: ModelProperty | undefined): number | undefined {
  return account?.role === 'ADMIN' ? property?.ownerId : account?.id;
}

/** What a key that was here before brings; undefined when it was not. */
export function keptOutcome(
  world: World,
  { account }: Caller,
  ownerId: number | undefined,
  call: Call,
): Outcome | undefined {
  const key = call.headers?.['Idempotency-Key'];
  if (key === undefined || account === undefined || ownerId === undefined) return undefined;
  const kept = world.keptFor(ownerId, account.id, key);
  return kept && outcomeOf(world, kept, call);
}

function outcomeOf(world: World, kept: KeptAnswer, { target, body: request }: Call): Outcome {
  if (kept.call.target !== target || kept.call.body !== request) return refused('idempotency-key-reused');
  const { status, row, ownerId, text, body } = kept;
  const replayed = { 'idempotent-replayed': 'true' };
  if (row === undefined)
    return { status, body, headers: { ...replayed, location: undefined, etag: undefined } };
  const headers = { ...replayed, location: `${target}/${row.id}` };
  if (Buffer.byteLength(text) <= MOST_KEPT) return { status, body, headers: { ...headers, etag: '"1"' } };
  const now = world[row.resource].get(row.id);
  if (now?.ownerId !== ownerId) return NOT_FOUND;
  return { status, body: now.body, headers: { ...headers, etag: `"${now.version}"` } };
}

/** What was answered to a write, when it had a key. */
export function keep(
  world: World,
  callerId: number,
  ownerId: number,
  call: Call,
  { answer: { status, text }, body }: Pick<Answered, 'answer' | 'body'>,
): void {
  const key = call.headers?.['Idempotency-Key'];
  if (key !== undefined)
    world.kept.push({ ownerId, callerId, key, call, status, text, body, row: rowIn(body) });
}

function rowIn({ id, propertyId }: JsonObject): KeptAnswer['row'] {
  if (id === undefined) return undefined;
  if (propertyId === undefined) return { resource: 'properties', id: numberIn(id), propertyId };
  return { resource: 'transactions', id: numberIn(id), propertyId: numberIn(propertyId) };
}

/** One of the caller's writes once more, or its key for another query; undefined when there is none. */
export function repeat(world: World, caller: Caller, index: number): Prediction | undefined {
  const mine = world.kept.filter(({ callerId }) => callerId === caller.account?.id);
  const again = mine[index % mine.length];
  if (again === undefined) return undefined;
  const { row } = again;
  const { target } = again.call;
  const isOther = index % 4 === 3;
  const other = `${target}${target.includes('?') ? '&' : '?'}other=1`;
  const call = { ...again.call, target: isOther ? other : target, token: caller.token };
  // A write of many refuses a parameter that it does not have.
  if (isOther && row === undefined) return { call, outcomes: [invalid(['other'])] };
  const property = world.properties.get(row?.propertyId ?? 0);
  const ownerId = row?.resource === 'transactions' ? ownerFor(caller, property) : caller.account!.id;
  return { call, outcomes: [keptOutcome(world, caller, ownerId, call) ?? NOT_FOUND] };
}
