import {
  callOf,
  NOT_FOUND,
  type Answered,
  type Call,
  type Outcome,
  type Prediction,
  refused,
} from './outcomes.js';
import { numberIn } from './values.js';
import type { Caller, KeptAnswer, ModelProperty, World } from './world.js';

/** Longer responses are not kept: a repetition gets the row as it is. */
const MOST_KEPT = 16_384;

/** In quotes, as the draft has it, or bare. */
export function keyHeader(key: number | undefined): Record<string, string> {
  return key === undefined ? {} : { 'Idempotency-Key': key % 2 === 0 ? `key-${key}` : `"key-${key}"` };
}

/** The owner among whose rows the key of a transaction is. */
export function ownerFor({ account }: Caller, property: ModelProperty | undefined): number | undefined {
  return account?.role === 'ADMIN' ? property?.ownerId : account?.id;
}

/** The outcome of a key that has been used. */
export function keptOutcome(
  world: World,
  { account }: Caller,
  ownerId: number | undefined,
  { headers, target, body: request }: Call,
): Outcome | undefined {
  const key = headers?.['Idempotency-Key'];
  const kept = world.kept.find(
    (it) => it.key === key && it.ownerId === ownerId && it.callerId === account?.id,
  );
  if (kept === undefined) return undefined;
  if (kept.call.target !== target || kept.call.body !== request) return refused('idempotency-key-reused');
  const { status, text, body } = kept;
  const replayed = { 'idempotent-replayed': 'true' };
  const id = numberIn(body['id']);
  const location = `${target}/${id}`;
  if (Buffer.byteLength(text) <= MOST_KEPT)
    return { status, body, headers: { ...replayed, location, etag: '"1"' } };
  const now = world[body['propertyId'] === undefined ? 'properties' : 'transactions'].get(id);
  if (now?.ownerId !== kept.ownerId) return NOT_FOUND;
  return { status, body: now.body, headers: { ...replayed, location, etag: `"${now.version}"` } };
}

export function keep(world: World, callerId: number, ownerId: number, call: Call, answered: Answered): void {
  const { answer, body } = answered;
  const key = call.headers?.['Idempotency-Key'];
  if (key === undefined) return;
  world.kept.push({ ownerId, callerId, key, call, status: answer.status, text: answer.text, body });
}

/** One of the caller's writes again. */
export function repeat(world: World, caller: Caller, { index }: { index: number }): Prediction | undefined {
  const mine = world.kept.filter(({ callerId }) => callerId === caller.account?.id);
  const again: KeptAnswer | undefined = mine[index % mine.length];
  if (again === undefined) return undefined;
  const { propertyId } = again.body;
  const property = world.properties.get(numberIn(propertyId));
  const ownerId = propertyId === undefined ? caller.account!.id : ownerFor(caller, property);
  const { method, target, ...rest } = again.call;
  const call = { ...callOf(caller, method, target, rest), token: caller.token };
  return { call, outcomes: [keptOutcome(world, caller, ownerId, call) ?? NOT_FOUND] };
}
