import { LosslessNumber } from 'lossless-json';
import { type Body, bodyOf } from './bodies.js';
import { TRANSACTION_BASE } from './choices.js';
import type { Matched, NewTransaction, Ref, Request } from './commands.js';
import { type JsonObject } from './difference.js';
import { newId, NOW, numberIn, requireEqual, requireNow, whole } from './unknowns.js';
import { type Answered, callOf, invalid, NOT_FOUND, type Outcome, type Prediction } from './outcomes.js';
import { responseOf, SERVER_MANAGED, stored } from './transaction-body.js';
import { keep, keyHeader, keptOutcome, ownerFor } from './keys.js';
import { type Addressed, deleteOne, putOne, readOne } from './one-resource.js';
import type { Caller, ModelProperty, ModelTransaction, Target, World } from './world.js';

const PATH = '/api/transactions';

export function createTransaction(
  world: World,
  caller: Caller,
  command: Request<'createTransaction'>,
): Prediction {
  const { body, property } = requestOf(world, caller, command);
  const call = callOf(caller, 'POST', PATH, { body: body.text, headers: keyHeader(command.key) });
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const kept = keptOutcome(world, caller, ownerFor(caller, property), call);
  if (kept !== undefined) return { call, outcomes: [kept] };
  if (property === undefined) return { call, outcomes: [NOT_FOUND] };
  const outcome: Outcome = {
    status: 200,
    body: newResponse(world, property, body),
    headers: { etag: '"1"', 'idempotent-replayed': undefined },
    settle(answered) {
      const id = numberIn(answered.body['id']);
      requireEqual('location', answered.answer.headers.get('location'), `${PATH}/${id}`);
      learn(world, property.ownerId, answered.body, answered);
      keep(world, caller.account!.id, property.ownerId, call, answered);
    },
  };
  return { call, outcomes: [outcome] };
}

/** What is told of a transaction that does not exist yet. */
export function newResponse(world: World, property: ModelProperty, body: Pick<Body, 'values'>): JsonObject {
  const managed = Object.fromEntries(SERVER_MANAGED.map((field) => [field, null]));
  const times = { createdAt: NOW, updatedAt: NOW };
  return responseOf(newId(world.seen.transactions), property, body, { ...managed, ...times });
}

/** Takes over a transaction that this call has recorded. */
export function learn(world: World, ownerId: number, body: JsonObject, answered: Answered): void {
  requireNow('createdAt', body['createdAt'] as string, answered);
  requireEqual('updatedAt', body['updatedAt'], body['createdAt']);
  const id = numberIn(body['id']);
  world.seen.transactions.push(id);
  world.transactions.set(id, stored(ownerId, 1, body));
}

function addressed(world: World, caller: Caller, { id, match }: Matched): Addressed<ModelTransaction> {
  const target = world.target('transactions', id, caller);
  return { path: PATH, caller, target, found: world.transaction(target, caller), match };
}

export function readTransaction(world: World, caller: Caller, command: Request<'transaction'>): Prediction {
  return readOne(addressed(world, caller, command));
}

export function putTransaction(world: World, caller: Caller, command: Request<'putTransaction'>): Prediction {
  const { body, property } = requestOf(world, caller, command);
  const refusals = property === undefined ? [NOT_FOUND] : [];
  return putOne(addressed(world, caller, command), body, refusals, (found) => {
    const kept = [...SERVER_MANAGED, 'createdAt'].map((field) => [field, found.body[field]] as const);
    const managed = { ...Object.fromEntries(kept), updatedAt: NOW };
    return updated(world, found, property!.ownerId, responseOf(whole(found.id), property!, body, managed));
  });
}

/** The owner is that of the property: an ADMIN may so move it to another. */
function updated(world: World, found: ModelTransaction, ownerId: number, expected: JsonObject): Outcome {
  const version = found.version + 1;
  return {
    status: 200,
    body: expected,
    headers: { etag: `"${version}"`, location: undefined },
    settle(answered) {
      requireNow('updatedAt', answered.body['updatedAt'] as string, answered);
      world.transactions.set(found.id, stored(ownerId, version, answered.body));
    },
  };
}

export function deleteTransaction(
  world: World,
  caller: Caller,
  command: Request<'deleteTransaction'>,
): Prediction {
  const one = addressed(world, caller, command);
  return deleteOne(one, [], () => void world.transactions.delete(one.found!.id));
}

/** The body, and the property that it names, as far as the caller may file against it. */
export function requestOf(world: World, caller: Caller, { property: ref, choices }: NewTransaction) {
  const target = bodyTarget(world, caller, ref);
  const propertyId = { field: 'propertyId', token: target.text, value: new LosslessNumber(target.text) };
  const body = bodyOf({ propertyId, ...TRANSACTION_BASE }, choices);
  const property: ModelProperty | undefined = world.property(target, caller);
  return { body, property };
}

/** What is malformed in a path may be fine in a body, and has choices of its own there. */
function bodyTarget(world: World, caller: Caller, ref: Ref): Target {
  const target = world.target('properties', ref, caller);
  return target.isWellFormed ? target : { text: '999999999999', isWellFormed: true };
}
