import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { Service } from '../../support/service.js';
import { type Credentials, ReferencePage } from './reference-page.js';
import { Visit } from './visit.js';

/** One sentence about the page, and what finds out whether it is true. */
export interface Check {
  readonly name: string;
  readonly run: (world: World) => Promise<void>;
}

/** The page as it differs from what it should be. */
export class Difference extends Error {}

let accounts = 0;

/** A service with the page, and a browser to visit it with. */
export class World {
  private readonly visits: Visit[] = [];

  constructor(
    readonly service: Service,
    private readonly browser: Browser,
  ) {}

  async open(options?: BrowserContextOptions): Promise<ReferencePage> {
    const visit = await Visit.start(this.browser, this.service.url, options);
    this.visits.push(visit);
    return new ReferencePage(visit);
  }

  /** The page with somebody signed in who has nothing yet. */
  async openSignedIn(options?: BrowserContextOptions): Promise<ReferencePage> {
    const [page, account] = [await this.open(options), await this.newAccount()];
    await page.signIn(account);
    await page.account.getByText(`Signed in as ${account.username}`).waitFor();
    return page;
  }

  async newAccount(): Promise<Credentials> {
    const account = { username: `reader-${++accounts}`, password: 'nobody knows this one' };
    await this.service.anonymous.post('/api/auth/signup', {
      ...account,
      email: `${account.username}@example.com`,
    });
    return account;
  }

  /** Ends the visits of a check. What went wrong unnoticed in any of them fails the check, too. */
  async leave(): Promise<void> {
    const visits = this.visits.splice(0);
    await Promise.all(visits.map((visit) => visit.end()));
    equal(
      visits.flatMap(({ faults }) => faults),
      [],
      'what went wrong in the browser',
    );
  }
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Difference(`${what}: ${is}, not ${should}`);
}

export function contains(text: string | undefined, part: string, what: string): void {
  if (text?.includes(part) !== true) throw new Difference(`${what} has no ${part}: ${text ?? 'nothing'}`);
}
