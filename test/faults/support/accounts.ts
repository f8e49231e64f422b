import { propertyRequest } from '../../support/factories.js';
import { claimsOf, forge } from '../../support/forged-token.js';
import { signUpRequest } from '../../support/sign-up.js';
import { type Caller, idIn, withCaller } from './http.js';

export interface Account {
  readonly id: string;
  readonly token: string;
}

/** An account with a property. */
export interface Owner extends Account {
  readonly propertyId: number;
}

export async function newAccount(caller: Caller): Promise<Account> {
  const created = await caller.post('/api/auth/signup', signUpRequest());
  const id = String(idIn(created));
  return { id, token: forge({ payload: claimsOf({ id }) }) };
}

/** Four by default, because writes of one owner wait for each other. */
export async function newOwners(url: string, number = 4): Promise<Owner[]> {
  return withCaller(url, async (caller) => {
    const owners: Owner[] = [];
    while (owners.length < number) {
      const account = await newAccount(caller);
      const created = await caller.post('/api/properties', propertyRequest(), account.token);
      owners.push({ ...account, propertyId: idIn(created) });
    }
    return owners;
  });
}
