import { callOf, invalid, NOT_FOUND, type Prediction, refused } from './outcomes.js';
import { type JsonObject, whole } from './values.js';
import type { Caller, ModelAccount, Ref, World } from './world.js';

const PATH = '/api/users';
export function me(_: World, caller: Caller): Prediction {
  const { account } = caller;
  const call = callOf(caller, 'GET', `${PATH}/me`);
  return { call, outcomes: [{ status: 200, body: account && profileOf(account) }] };
}

export function listUsers(world: World, caller: Caller): Prediction {
  const accounts = [...world.accounts.values()].sort((a, b) => a.id - b.id);
  const call = callOf(caller, 'GET', PATH);
  return { call, outcomes: [{ status: 200, body: accounts.map(profileOf) }] };
}

/** Reads or deletes. Properties keep an account; its tokens go with it. */
export function oneUser(
  world: World,
  caller: Caller,
  { id, method }: { readonly id: Ref; readonly method: 'GET' | 'DELETE' },
): Prediction {
  const target = world.target('accounts', id, caller);
  const account = world.accounts.get(Number(target.text));
  const call = callOf(caller, method, `${PATH}/${target.text}`);
  if (!target.isWellFormed) return { call, outcomes: [invalid(['id'])] };
  if (account === undefined) return { call, outcomes: [NOT_FOUND] };
  if (method === 'GET') return { call, outcomes: [{ status: 200, body: profileOf(account) }] };
  if ([...world.properties.values()].some(({ ownerId }) => ownerId === account.id))
    return { call, outcomes: [refused('resource-in-use')] };
  return { call, outcomes: [{ status: 200, settle: () => void world.accounts.delete(account.id) }] };
}

/** UserResponse. */
function profileOf({ id, username, role }: ModelAccount): JsonObject {
  return { id: whole(id), email: `${username}@example.com`, username, firstName: null, lastName: null, role };
}
