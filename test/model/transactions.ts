import { isLosslessNumber, LosslessNumber } from 'lossless-json';
import { SUMMARY_FIELDS, TRANSACTION_FIELDS } from '../support/contract.js';
import type { StoredTransaction } from '../support/search-rows.js';
import { type Body, bodyOf, type Choice, TRANSACTION_BASE } from './bodies.js';
import { keep, keptOutcome, keyHeader, ownerFor } from './keys.js';
import {
  callOf,
  invalid,
  NOT_FOUND,
  type Outcome,
  type Prediction,
  requireEqual,
  requireNow,
} from './outcomes.js';
import { type Matched, putOne } from './rows.js';
import { type JsonObject, newId, NOW, numberIn, whole } from './values.js';
import type { Caller, ModelProperty, ModelTransaction, Ref, World } from './world.js';

const PATH = '/api/transactions';
/** No request sets them, and a PUT leaves them alone. */
const SERVER_MANAGED = ['taxDetails', 'refund', 'approvalStatus', 'approvedBy', 'approvedDate'];
const NULLS = Object.fromEntries(SERVER_MANAGED.map((field) => [field, null]));
const MANAGED = { ...NULLS, createdAt: NOW, updatedAt: NOW };

interface NewTransaction {
  readonly property: Ref;
  readonly choices: readonly Choice[];
}

export function createTransaction(
  world: World,
  caller: Caller,
  command: NewTransaction & { readonly key: number | undefined },
): Prediction {
  const { body, property } = requestOf(world, caller, command);
  const call = callOf(caller, 'POST', PATH, { body: body.text, headers: keyHeader(command.key) });
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const kept = keptOutcome(world, caller, ownerFor(caller, property), call);
  if (kept !== undefined) return { call, outcomes: [kept] };
  if (property === undefined) return { call, outcomes: [NOT_FOUND] };
  const outcome: Outcome = {
    status: 200,
    body: responseOf(newId(world.seen.transactions), property, body, MANAGED),
    headers: { etag: '"1"', 'idempotent-replayed': undefined },
    settle(answered) {
      const id = numberIn(answered.body['id']);
      requireEqual('location', answered.answer.headers.get('location'), `${PATH}/${id}`);
      requireNow('createdAt', answered.body['createdAt'] as string, answered);
      requireEqual('updatedAt', answered.body['updatedAt'], answered.body['createdAt']);
      world.seen.transactions.push(id);
      world.transactions.set(id, stored(property.ownerId, 1, answered.body));
      keep(world, caller.account!.id, property.ownerId, call, answered);
    },
  };
  return { call, outcomes: [outcome] };
}

/** The owner is that of the property: an ADMIN may move it to another. */
export function putTransaction(world: World, caller: Caller, command: Matched & NewTransaction): Prediction {
  const { body, property } = requestOf(world, caller, command);
  const refusals = property === undefined ? [NOT_FOUND] : [];
  return putOne(world, caller, 'transactions', command, body, refusals, (found, version) => {
    const kept = [...SERVER_MANAGED, 'createdAt'].map((field) => [field, found.body[field]] as const);
    const managed = { ...Object.fromEntries(kept), updatedAt: NOW };
    return {
      status: 200,
      body: responseOf(whole(found.id), property!, body, managed),
      settle(answered) {
        requireNow('updatedAt', answered.body['updatedAt'] as string, answered);
        world.transactions.set(found.id, stored(property!.ownerId, version, answered.body));
      },
    };
  });
}

/** The body, and the property in it if the caller may use it. */
function requestOf(world: World, caller: Caller, { property: ref, choices }: NewTransaction) {
  const named = world.target('properties', ref, caller);
  const target = named.isWellFormed ? named : { text: '999999999999', isWellFormed: true };
  const propertyId = { field: 'propertyId', token: target.text, value: new LosslessNumber(target.text) };
  const body = bodyOf([propertyId, ...TRANSACTION_BASE], choices);
  return { body, property: world.found('properties', target, caller) };
}

/** TransactionResponse, with defaults. */
function responseOf(id: unknown, property: ModelProperty, { values }: Body, managed: JsonObject): JsonObject {
  const recurring = values['recurring'] ?? false;
  const fields = TRANSACTION_FIELDS.map((field) => [field, values[field] ?? null] as const);
  return {
    ...Object.fromEntries(fields),
    id,
    propertyId: whole(property.id),
    propertyName: property.body['name'],
    status: values['status'] ?? 'PENDING',
    recurring,
    frequency: values['frequency'] ?? (recurring === true ? null : 'ONE_TIME'),
    tags: values['tags'] ?? [],
    metadata: values['metadata'] ?? {},
    ...managed,
  };
}

/** An element of a list. */
export function summaryOf({ body }: ModelTransaction): JsonObject {
  return Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, body[field]]));
}

export function stored(ownerId: number, version: number, body: JsonObject): ModelTransaction {
  const fields = Object.entries(body).map(([field, value]) => [
    field,
    isLosslessNumber(value) ? Number(value.value) : value,
  ]);
  const cents = BigInt((body['amount'] as LosslessNumber).value.replace('.', ''));
  const row = { ...Object.fromEntries(fields), ownerId: String(ownerId), cents } as StoredTransaction;
  return { id: row.id, ownerId, propertyId: row.propertyId, version, body, row };
}
