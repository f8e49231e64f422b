import { type HttpResponse, Client } from './client.js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

let names = 0;

/** A valid sign-up request with new names, and these fields replaced. */
export function signUpRequest(fields: Record<string, unknown> = {}): Credentials & { email: string } {
  const name = `guest-${++names}`;
  return { email: `${name}@example.com`, username: name, password: 'correct horse battery', ...fields };
}

export const signUp = (client: Client, body: object): Promise<HttpResponse> =>
  client.post('/api/auth/signup', body);

export const signIn = (client: Client, body: object): Promise<HttpResponse> =>
  client.post('/api/auth/signin', body);

export const userIn = ({ json }: HttpResponse): { id: number; role: string } =>
  json as { id: number; role: string };

/** A client with the token of a sign-in. */
export async function signedIn(client: Client, body: object): Promise<Client> {
  const { accessToken } = (await signIn(client, body)).json as { accessToken: string };
  return new Client(client.url, accessToken);
}
