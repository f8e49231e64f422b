import { propertyRequest } from '../../support/factories.js';
import { claimsOf, forge, inSeconds } from '../../support/forged-token.js';
import { type Credentials, signUpRequest } from '../../support/sign-up.js';
import { type Caller, jsonIn, type Reply, withCaller } from './http.js';

/** In seconds. */
const LIFETIME = 3600;

export interface Account extends Credentials {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** An account with a property. */
export interface Owner extends Account {
  readonly propertyId: number;
}

/** Makes one through the service. `clockShift`: how far ahead its clock is, in seconds. */
export async function newAccount(caller: Caller, clockShift = 0): Promise<Account> {
  const { username, password, email } = signUpRequest();
  const created = await caller.post('/api/auth/signup', { username, password, email });
  const id = idIn(created);
  const claims = { iat: inSeconds(clockShift), exp: inSeconds(clockShift + LIFETIME) };
  return { id, username, password, email, token: forge({ payload: claimsOf({ id }, claims) }) };
}

function idIn(reply: Reply): string {
  return String((jsonIn(reply) as { id: number }).id);
}

export async function newOwners(url: string, number: number, clockShift = 0): Promise<Owner[]> {
  return withCaller(url, async (caller) => {
    const owners: Owner[] = [];
    while (owners.length < number) {
      const account = await newAccount(caller, clockShift);
      const created = await caller.post('/api/properties', propertyRequest(), account.token);
      owners.push({ ...account, propertyId: Number(idIn(created)) });
    }
    return owners;
  });
}
