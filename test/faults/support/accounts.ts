import { Client } from '../../support/client.js';
import { createProperty } from '../../support/factories.js';
import { claimsOf, forge } from '../../support/forged-token.js';
import { signUp, signUpRequest, userIn } from '../../support/sign-up.js';

export interface Account {
  readonly id: string;
  readonly token: string;
}

/** An account with a property. */
export interface Owner extends Account {
  readonly propertyId: number;
}

export async function newAccount(url: string): Promise<Account> {
  const id = String(userIn(await signUp(new Client(url), signUpRequest())).id);
  return { id, token: forge({ payload: claimsOf({ id }) }) };
}

/** Four by default, because writes of one owner wait for each other. */
export async function newOwners(url: string, number = 4): Promise<Owner[]> {
  const owners: Owner[] = [];
  while (owners.length < number) {
    const account = await newAccount(url);
    const { id: propertyId } = await createProperty(new Client(url, account.token));
    owners.push({ ...account, propertyId });
  }
  return owners;
}
