import { bodyOf } from './bodies.js';
import { SIGN_UP_BASE } from './accounts.js';
import type { Request } from './commands.js';
import { type JsonObject, Unknown } from './difference.js';
import { newId, numberIn, requireEqual, whole } from './unknowns.js';
import { callOf, DELETED, invalid, NOT_FOUND, type Outcome, type Prediction, refused } from './outcomes.js';
import type { Caller, ModelAccount, World } from './world.js';

const PATH = '/api/users';
const REALM = 'Bearer realm="property-finance"';

export function signUp(world: World, caller: Caller, { choices }: Request<'signUp'>): Prediction {
  const body = bodyOf(SIGN_UP_BASE, choices);
  const call = callOf(caller, 'POST', '/api/auth/signup', { body: body.text });
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const fields = body.values as Record<string, string | undefined>;
  const clash = clashOf(world, fields['email']!, fields['username']!);
  if (clash !== undefined) return { call, outcomes: [clash] };
  const account = {
    email: fields['email']!,
    username: fields['username']!,
    password: fields['password']!,
    firstName: fields['firstName'] ?? null,
    lastName: fields['lastName'] ?? null,
    role: 'USER' as const,
  };
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

/** The unique names are compared without regard to case; the e-mail is told first. */
function clashOf(world: World, email: string, username: string): Outcome | undefined {
  const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const accounts = [...world.accounts.values()];
  if (accounts.some((account) => same(account.email, email))) return refused('duplicate-email');
  if (accounts.some((account) => same(account.username, username))) return refused('duplicate-username');
  return undefined;
}

export function signIn(world: World, caller: Caller, { account: index, how }: Request<'signIn'>): Prediction {
  const accounts = [...world.accounts.values()];
  const account = accounts[index % accounts.length];
  const body = credentialsOf(account, how);
  const call = callOf(caller, 'POST', '/api/auth/signin', { body: JSON.stringify(body) });
  if (body.password === undefined) return { call, outcomes: [invalid(['password'])] };
  if (!how.startsWith('right') || account === undefined)
    return { call, outcomes: [refused('bad-credentials', { headers: { 'www-authenticate': REALM } })] };
  const outcome: Outcome = {
    status: 200,
    body: {
      accessToken: new Unknown('a token', (actual) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(String(actual))),
      tokenType: 'Bearer',
      expiresIn: whole(3600),
      user: profileOf(account),
    },
    settle({ body: { accessToken } }) {
      world.signedIn.push({ token: accessToken as string, accountId: account.id });
    },
  };
  return { call, outcomes: [outcome] };
}

function credentialsOf(account: ModelAccount | undefined, how: Request<'signIn'>['how']) {
  const username = account?.username ?? 'nobody at all';
  if (how === 'no password') return { username };
  if (how === 'unknown name') return { username: `${username}?`, password: 'correct horse' };
  if (how === 'wrong password') return { username, password: `${account?.password ?? ''}?` };
  const name = how === 'right' ? username : username.toUpperCase();
  return { username: name, password: account?.password ?? 'correct horse' };
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

export function readUser(world: World, caller: Caller, { id }: Request<'user'>): Prediction {
  const target = world.target('accounts', id, caller);
  const account = world.accounts.get(Number(target.text));
  const call = callOf(caller, 'GET', `${PATH}/${target.text}`);
  if (!target.isWellFormed) return { call, outcomes: [invalid(['id'])] };
  if (account === undefined) return { call, outcomes: [NOT_FOUND] };
  return { call, outcomes: [{ status: 200, body: profileOf(account) }] };
}

/** Properties keep an account; with it go its tokens. */
export function deleteUser(world: World, caller: Caller, { id }: Request<'deleteUser'>): Prediction {
  const target = world.target('accounts', id, caller);
  const account = world.accounts.get(Number(target.text));
  const call = callOf(caller, 'DELETE', `${PATH}/${target.text}`);
  if (!target.isWellFormed) return { call, outcomes: [invalid(['id'])] };
  if (account === undefined) return { call, outcomes: [NOT_FOUND] };
  if ([...world.properties.values()].some(({ ownerId }) => ownerId === account.id))
    return { call, outcomes: [refused('resource-in-use')] };
  return { call, outcomes: [{ ...DELETED, settle: () => void world.accounts.delete(account.id) }] };
}

/** UserResponse. */
export function profileOf({ id, email, username, firstName, lastName, role }: ModelAccount): JsonObject {
  return { id: whole(id), email, username, firstName, lastName, role };
}
