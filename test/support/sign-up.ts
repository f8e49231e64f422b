import type { Answer, Client } from './client.js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface UserResponse {
  readonly id: number;
  readonly email: string;
  readonly username: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly role: string;
}

export interface AuthResponse {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly expiresIn: number;
  readonly user: UserResponse;
}

let names = 0;

/** A valid sign-up request with new names, and these fields replaced. */
export function signUpRequest(fields: Record<string, unknown> = {}): Credentials & { email: string } {
  const name = `guest-${++names}`;
  return { email: `${name}@example.com`, username: name, password: 'correct horse battery', ...fields };
}

export const signUp = (client: Client, body: object): Promise<Answer> =>
  client.post('/api/auth/signup', body);

export const signIn = (client: Client, body: object): Promise<Answer> =>
  client.post('/api/auth/signin', body);

export const userIn = (answer: Answer): UserResponse => answer.json as UserResponse;

export const authIn = (answer: Answer): AuthResponse => answer.json as AuthResponse;
