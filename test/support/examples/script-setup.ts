import { Client } from '../client.js';
import { Gateway } from '../gateway.js';
import { type Service, startService } from '../service.js';
import { authIn, signIn, signUp, type signUpRequest } from '../sign-up.js';

/** What a script of the examples works with: a service, a way to it that can fail, and somebody's account. */
export interface ScriptSetup {
  readonly service: Service;
  readonly proxy: Gateway;
  readonly owner: Client;
}

export async function setUpScript(account: ReturnType<typeof signUpRequest>): Promise<ScriptSetup> {
  const service = await startService();
  const proxy = await Gateway.to(service.url);
  await signUp(service.anonymous, account);
  const { accessToken } = authIn(await signIn(service.anonymous, account));
  return {
    service,
    proxy,
    owner: new Client(service.url, accessToken),
  };
}
