import assert from 'node:assert/strict';
import { PROPERTY_FIELDS, TRANSACTION_FIELDS } from '../support/contract.js';
import { PROPERTY, TRANSACTION } from '../support/body-fields.js';
import { Random } from '../support/random.js';
import { jsonOf, someProperty, someTransaction } from '../support/random-ledger.js';
import type { HttpResponse } from '../support/client.js';
import type { Given } from './commands.js';
import { isRefused, requireBody, requireHeaders } from './expect.js';
import type { Caller, Kind, ModelRow, World } from './world.js';

const NOT_FOUND = '404 not-found';
const CONFLICT = '409 concurrent-modification';

const FIELDS = {
  properties: { request: Object.keys(PROPERTY.fields), response: PROPERTY_FIELDS },
  transactions: { request: Object.keys(TRANSACTION.fields), response: TRANSACTION_FIELDS },
};

/** A random row as it will be, and the body that asks for it; `isPlaced` unless the caller has no such property. */
function requested(world: World, caller: Caller, kind: Kind, { seed, place }: Given) {
  const random = new Random(seed);
  const id = world.idOf('properties', caller, place);
  const property = world.find('properties', caller, id);
  const { ownerId = caller.id, name = '' } = (property ?? {}) as { ownerId?: string; name?: string };
  const row =
    kind === 'properties'
      ? someProperty(random, 0, caller.id)
      : { ...someTransaction(random, 0, { id, ownerId }), propertyName: name, approvalStatus: null };
  const isSent = (field: string): boolean => Reflect.get(row, field) !== null || random.chance(0.5);
  return {
    row,
    body: jsonOf(row, FIELDS[kind].request.filter(isSent)),
    isPlaced: kind === 'properties' || property !== undefined,
  };
}

/** Requires the row in response and database, whose times are new, and keeps it. */
async function settle(
  world: World,
  kind: Kind,
  response: HttpResponse,
  row: ModelRow,
  sent: number,
): Promise<void> {
  const [stored] = await world.sql<{ created_at: Date; updated_at: Date }>(
    `SELECT owner_id, version, created_at, updated_at FROM ${kind} WHERE id = $1`,
    [row.id],
  );
  const { updated_at } = stored!;
  const createdAt = world.rows[kind].get(row.id)?.createdAt ?? updated_at.toISOString();
  const { ownerId: owner_id, version } = row;
  assert.deepEqual({ ...stored }, { owner_id, version, created_at: new Date(createdAt), updated_at });
  // The database rounds to milliseconds.
  const age = updated_at.getTime() - sent;
  assert(age >= -2 && age <= Date.now() - sent + 2, `the time of the update is ${age} ms after the call`);
  const settled = { ...row, createdAt, updatedAt: updated_at.toISOString() };
  requireHeaders(response, { etag: `"${version}"` });
  requireBody(response, jsonOf(settled, FIELDS[kind].response));
  world.rows[kind].set(row.id, settled);
}

export const creating = (kind: Kind) =>
  async function create(world: World, caller: Caller, given: Given): Promise<void> {
    const { row, body, isPlaced } = requested(world, caller, kind, given);
    const path = `/api/${kind}`;
    const key = `key-${world.transcript.length}`;
    const headers: Record<string, string> = given.hasKey ? { 'idempotency-key': key } : {};
    const sent = Date.now();
    const response = await world.send(caller, 'POST', path, { headers, body });
    if (isRefused(response, { [NOT_FOUND]: !isPlaced })) return;
    const { id } = response.json as { id: number };
    assert(id > Math.max(0, ...world.ids[kind]), `the id ${id} is not above all others`);
    await settle(world, kind, response, { ...row, id, version: 1 }, sent);
    requireHeaders(response, { location: `${path}/${id}`, 'idempotent-replayed': null });
    world.ids[kind].push(id);
    if (given.hasKey) world.kept.push({ caller, path, options: { headers, body }, response });
  };

/** A request with its Idempotency-Key again. */
export async function repeat(world: World, caller: Caller, { index }: Given): Promise<void> {
  const kept = world.kept.filter((one) => one.caller === caller);
  const { path, options, response: first } = kept[index % kept.length] ?? {};
  if (first === undefined) return;
  const again = await world.send(caller, 'POST', path!, options);
  assert.deepEqual([again.status, again.text], [first.status, first.text]);
  const headers = ['etag', 'location'].map((name) => [name, first.headers.get(name)] as const);
  requireHeaders(again, { ...Object.fromEntries(headers), 'idempotent-replayed': 'true' });
}

/** The row and its path, and a condition on its version if the request shall have one. */
function addressed(world: World, caller: Caller, kind: Kind, { id: ref, condition }: Given) {
  const id = world.idOf(kind, caller, ref);
  const found = world.find(kind, caller, id);
  const tag = typeof condition === 'number' ? `"${(found?.version ?? 1) + condition}"` : condition;
  return { path: `/api/${kind}/${id}`, found, tag, isStale: found !== undefined && condition === -1 };
}

export const reading = (kind: Kind) =>
  async function read(world: World, caller: Caller, given: Given): Promise<void> {
    const { path, found, tag, isStale } = addressed(world, caller, kind, given);
    const headers: Record<string, string> = tag === undefined ? {} : { 'if-none-match': tag };
    const response = await world.send(caller, 'GET', path, { headers });
    const isKnown = tag !== undefined && !isStale;
    if (isRefused(response, { [NOT_FOUND]: found === undefined }, isKnown ? '304' : '200') || !found) return;
    requireHeaders(response, { etag: `"${found.version}"` });
    if (isKnown) assert.equal(response.text, '');
    else requireBody(response, jsonOf(found, FIELDS[kind].response));
  };

export const replacing = (kind: Kind) =>
  async function replace(world: World, caller: Caller, given: Given): Promise<void> {
    const { path, found, tag, isStale } = addressed(world, caller, kind, given);
    const { row, body, isPlaced } = requested(world, caller, kind, given);
    const headers: Record<string, string> = tag === undefined ? {} : { 'if-match': tag };
    const sent = Date.now();
    const response = await world.send(caller, 'PUT', path, { headers, body });
    if (isRefused(response, { [NOT_FOUND]: found === undefined || !isPlaced, [CONFLICT]: isStale }) || !found)
      return;
    const { id, version } = found;
    const { ownerId } = kind === 'properties' ? found : row;
    await settle(world, kind, response, { ...row, id, ownerId, version: version + 1 }, sent);
    requireHeaders(response, { location: null });
  };

export const deleting = (kind: Kind) =>
  async function remove(world: World, caller: Caller, given: Given): Promise<void> {
    const { path, found, tag, isStale } = addressed(world, caller, kind, given);
    const headers: Record<string, string> = tag === undefined ? {} : { 'if-match': tag };
    const response = await world.send(caller, 'DELETE', path, { headers });
    const transactions = kind === 'properties' ? [...world.rows.transactions.values()] : [];
    const isUsed = transactions.some((row) => 'propertyId' in row && row.propertyId === found?.id);
    const reasons = { [NOT_FOUND]: found === undefined, '409 resource-in-use': isUsed, [CONFLICT]: isStale };
    if (isRefused(response, reasons) || !found) return;
    assert.equal(response.text, '');
    world.rows[kind].delete(found.id);
  };
