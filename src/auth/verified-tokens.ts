/** About half a kilobyte each. */
const MAX_REMEMBERED = 5000;

export interface VerifiedToken {
  readonly id: string;
  /** Seconds since 1970. */
  readonly exp: number;
}

/**
 * The accounts of tokens with a verified signature. A token never changes, so one verification is enough: each takes
 * more than 20 µs, a third of the time of a short request. Expiry is checked on every request. The oldest go first.
 */
export class VerifiedTokens {
  private readonly tokens = new Map<string, VerifiedToken>();

  constructor(private readonly capacity = MAX_REMEMBERED) {}

  remember(token: string, verified: VerifiedToken): void {
    const [oldest] = this.tokens.size < this.capacity ? [] : this.tokens.keys();
    if (oldest !== undefined) this.tokens.delete(oldest);
    this.tokens.set(token, verified);
  }

  /** The id of a verified token's account; undefined once the token has expired, by jsonwebtoken's rule. */
  accountOf(token: string): string | undefined {
    const verified = this.tokens.get(token);
    if (verified === undefined || Math.floor(Date.now() / 1000) < verified.exp) return verified?.id;
    this.tokens.delete(token);
    return undefined;
  }
}
