import type { Claims } from './tokens.js';

/** About half a kilobyte each. */
const MAX_REMEMBERED = 5000;

/**
 * The tokens whose signature has been verified. A token never changes, so verifying it once is enough; whether it
 * has expired and whether its account still exists is asked anew for every request. Bounded: the oldest goes first.
 */
export class VerifiedTokens {
  private readonly claims = new Map<string, Claims>();

  constructor(private readonly capacity = MAX_REMEMBERED) {}

  remember(token: string, claims: Claims): void {
    if (this.claims.size >= this.capacity) {
      for (const oldest of this.claims.keys()) {
        this.claims.delete(oldest);
        break;
      }
    }
    this.claims.set(token, claims);
  }

  /** The claims of a token that has been verified and has not expired meanwhile, as jsonwebtoken judges that. */
  claimsOf(token: string): Claims | undefined {
    const claims = this.claims.get(token);
    if (claims === undefined || Math.floor(Date.now() / 1000) < claims.exp) return claims;
    this.claims.delete(token);
    return undefined;
  }
}
