import { type Answered, type Call, NOT_FOUND, type Outcome, type Prediction, refused } from './outcomes.js';
import type { Key } from './commands.js';
import { numberIn } from './unknowns.js';
import type { Caller, KeptAnswer, ModelProperty, World } from './world.js';

/** What is longer is not kept: the repetition is given the row as it is. */
const MOST_KEPT = 16_384;

/** In quotes, as the draft has it, or bare, as most send it. */
export function keyHeader(key: Key): Record<string, string> {
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
  if (kept.target !== target || kept.request !== request) return refused('idempotency-key-reused');
  const { resource, id, ownerId, text, body } = kept;
  const headers = { 'idempotent-replayed': 'true', location: `${target}/${id}` };
  if (Buffer.byteLength(text) <= MOST_KEPT)
    return { status: 200, body, headers: { ...headers, etag: '"1"' } };
  const now = world[resource].get(id);
  if (now?.ownerId !== ownerId) return NOT_FOUND;
  return { status: 200, body: now.body, headers: { ...headers, etag: `"${now.version}"` } };
}

/** What was answered to a creation, when it had a key. */
export function keep(
  world: World,
  callerId: number,
  ownerId: number,
  { target, headers = {}, body: request = '' }: Call,
  { answer, body }: Pick<Answered, 'answer' | 'body'>,
): void {
  const key = headers['Idempotency-Key'];
  if (key === undefined) return;
  const ofProperty = body['propertyId'];
  world.kept.push({
    ...{ ownerId, callerId, key, target, request, body, text: answer.text, id: numberIn(body['id']) },
    resource: ofProperty === undefined ? 'properties' : 'transactions',
    propertyId: ofProperty === undefined ? undefined : numberIn(ofProperty),
  });
}

/** One of the caller's creations once more; undefined when there is none. */
export function repeat(world: World, caller: Caller, index: number): Prediction | undefined {
  const mine = world.kept.filter(({ callerId }) => callerId === caller.account?.id);
  const again = mine[index % mine.length];
  if (again === undefined) return undefined;
  const { target, request, key, propertyId, resource } = again;
  const headers = { 'Idempotency-Key': key };
  const call = { method: 'POST', target, token: caller.token, body: request, headers };
  const property = propertyId === undefined ? undefined : world.properties.get(propertyId);
  const ownerId = resource === 'properties' ? caller.account!.id : ownerFor(caller, property);
  return { call, outcomes: [keptOutcome(world, caller, ownerId, call) ?? NOT_FOUND] };
}
