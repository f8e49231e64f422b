import type { AuthResponse, SignInRequest } from './generated/schema.js';
import type { TokenSource } from './transport/tokens.js';

export type Credentials = SignInRequest;

/** Returns access tokens, or undefined for no other. `refused` is the token that the service has refused, if any. */
export type TokenProvider = (refused?: string) => string | undefined | Promise<string | undefined>;

/** A token is not used any more in the last seconds of its life: it has to live until it arrives. */
const MARGIN = 30_000;

interface Held {
  readonly token: string;
  readonly goodUntil: number;
}

/** Signs in when a token is needed, and again when it is about to expire or was refused: once for all who wait. */
export class Session implements TokenSource {
  #credentials: Credentials | undefined;
  #provider: TokenProvider | undefined;
  #held: Held | undefined;
  #signingIn: Promise<AuthResponse> | undefined;

  constructor(
    private readonly request: (credentials: Credentials) => Promise<AuthResponse>,
    { credentials, token }: { credentials?: Credentials; token?: TokenProvider },
  ) {
    this.#credentials = credentials;
    this.#provider = token;
  }

  held(): string | undefined {
    return this.#held?.token;
  }

  async token(refused?: string): Promise<string | undefined> {
    if (this.#provider !== undefined) return this.#provider(refused);
    if (this.#credentials === undefined) return undefined;
    const held = this.#held;
    if (held !== undefined && held.token !== refused && Date.now() < held.goodUntil) return held.token;
    const { accessToken } = await (this.#signingIn ?? this.#renew(this.#credentials));
    return accessToken;
  }

  /** Signs in now, and with these credentials from here on. When it fails, everything stays as it was. */
  async signIn(credentials = this.#credentials): Promise<AuthResponse> {
    if (credentials === undefined) throw new TypeError('signIn: no credentials were given');
    const response = await this.request(credentials);
    this.signOut();
    this.#credentials = credentials;
    this.#held = hold(response);
    return response;
  }

  /** Forgets credentials and tokens. The service keeps no session: a token that was copied stays good. */
  signOut(): void {
    this.#credentials = undefined;
    this.#provider = undefined;
    this.#held = undefined;
    this.#signingIn = undefined;
  }

  async #renew(credentials: Credentials): Promise<AuthResponse> {
    const signingIn = this.request(credentials);
    this.#signingIn = signingIn;
    const isCurrent = (): boolean => this.#signingIn === signingIn; // not after signIn() or signOut()
    try {
      const response = await signingIn;
      if (isCurrent()) this.#held = hold(response);
      return response;
    } finally {
      if (isCurrent()) this.#signingIn = undefined;
    }
  }
}

function hold({ accessToken, expiresIn }: AuthResponse): Held {
  const life = Number(expiresIn) * 1000;
  return { token: accessToken, goodUntil: Date.now() + life - Math.min(MARGIN, life / 2) };
}
