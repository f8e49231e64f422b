import { propertyRequest } from '../../support/factories.js';
import { claimsOf, forge } from '../../support/forged-token.js';
import { type Credentials, signUpRequest } from '../../support/sign-up.js';
import { type Caller, jsonIn, withCaller } from './http.js';

export interface Account extends Credentials {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** An account with a property. */
export interface Owner extends Account {
  readonly propertyId: number;
}

export async function newAccount(caller: Caller): Promise<Account> {
  const { username, password, email } = signUpRequest();
  const created = await caller.post('/api/auth/signup', { username, password, email });
  const id = String((jsonIn(created) as { id: number }).id);
  return { id, username, password, email, token: forge({ payload: claimsOf({ id }) }) };
}

export async function newOwners(url: string, number: number): Promise<Owner[]> {
  return withCaller(url, async (caller) => {
    const owners: Owner[] = [];
    while (owners.length < number) {
      const account = await newAccount(caller);
      const created = await caller.post('/api/properties', propertyRequest(), account.token);
      owners.push({ ...account, propertyId: (jsonIn(created) as { id: number }).id });
    }
    return owners;
  });
}
