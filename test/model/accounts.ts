import {
  callOf,
  invalid,
  NOT_FOUND,
  type Outcome,
  type Prediction,
  refused,
  requireEqual,
} from './outcomes.js';
import { type JsonObject, newId, numberIn, Unknown, whole } from './values.js';
import type { Caller, ModelAccount, Ref, World } from './world.js';

const PATH = '/api/users';
const REALM = 'Bearer realm="property-finance"';
const TOKEN = new Unknown('a token', (actual) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(String(actual)));

/** Some differ by case alone, and some are those of accounts of the start. */
export const NAMES = ['anna', 'Anna', 'bob', 'ärger', 'ÄRGER', 'OWNER-1', '😀😀😀'];
export const EMAILS = ['anna@example.com', 'ANNA@example.COM', 'b@b', 'Owner-0@Example.com'];

export interface NewAccount {
  readonly email: string;
  readonly username: string;
  readonly firstName: string | null;
}

export function signUp(world: World, caller: Caller, { email, username, firstName }: NewAccount): Prediction {
  const password = 'correct horse';
  const body = JSON.stringify({ email, username, password, firstName, role: 'ADMIN' });
  const call = callOf(caller, 'POST', '/api/auth/signup', { body });
  const isTaken = (field: 'email' | 'username', value: string): boolean =>
    [...world.accounts.values()].some((account) => account[field].toLowerCase() === value.toLowerCase());
  if (isTaken('email', email)) return { call, outcomes: [refused('duplicate-email')] };
  if (isTaken('username', username)) return { call, outcomes: [refused('duplicate-username')] };
  const account = { email, username, password, firstName, lastName: null, role: 'USER' as const };
  const outcome: Outcome = {
    status: 201,
    body: { ...profileOf({ id: 0, ...account }), id: newId(world.seen.accounts) },
    settle({ answer, body: { id } }) {
      requireEqual('location', answer.headers.get('location'), `${PATH}/${numberIn(id)}`);
      world.add({ id: numberIn(id), ...account });
    },
  };
  return { call, outcomes: [outcome] };
}

export interface SignIn {
  readonly index: number;
  readonly how: 'right' | 'capitals' | 'wrong';
}

export function signIn(world: World, caller: Caller, { index, how }: SignIn): Prediction {
  const accounts = [...world.accounts.values()];
  const account = accounts[index % accounts.length];
  const { username, password } = account ?? { username: 'nobody at all', password: 'correct horse' };
  const credentials = {
    username: how === 'capitals' ? username.toUpperCase() : username,
    password: how === 'wrong' ? `${password}?` : password,
  };
  const call = callOf(caller, 'POST', '/api/auth/signin', { body: JSON.stringify(credentials) });
  if (how === 'wrong' || account === undefined)
    return { call, outcomes: [refused('bad-credentials', { 'www-authenticate': REALM })] };
  const outcome: Outcome = {
    status: 200,
    body: { accessToken: TOKEN, tokenType: 'Bearer', expiresIn: whole(3600), user: profileOf(account) },
    settle({ body: { accessToken } }) {
      world.signedIn.push({ token: accessToken as string, accountId: account.id });
    },
  };
  return { call, outcomes: [outcome] };
}

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
function profileOf({ id, email, username, firstName, lastName, role }: ModelAccount): JsonObject {
  return { id: whole(id), email, username, firstName, lastName, role };
}
