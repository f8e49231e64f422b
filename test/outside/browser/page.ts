import { type BrowserContext, expect, type Locator, type Page, test as base } from '@playwright/test';
import { rowsOf } from '../../support/connect.js';
import type { Credentials } from '../../support/sign-up.js';

/** Chromium's report of a response of 400 or above to a request that the page sent. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

interface Fixtures {
  readonly account: Credentials;
  readonly reference: ReferencePage;
  /** The page with the account signed in. */
  readonly signedIn: ReferencePage;
}

let accounts = 0;

/** Tests fail on every fault that the browser reports, too. */
export const test = base.extend<Fixtures>({
  context: async ({ context, baseURL }, use) => {
    const faults = watch(context, baseURL!);
    await use(context);
    expect(faults, 'faults in the browser').toEqual([]);
  },
  account: async ({ request }, use) => {
    const account = { username: `reader-${process.pid}-${++accounts}`, password: 'nobody knows this one' };
    const data = { ...account, email: `${account.username}@example.com` };
    expect((await request.post('/api/auth/signup', { data })).status()).toBe(201);
    await use(account);
  },
  reference: async ({ page }, use) => {
    const reference = new ReferencePage(page);
    await reference.open();
    await use(reference);
  },
  signedIn: async ({ reference, account }, use) => {
    await reference.signIn(account);
    await expect(reference.account.getByText(`Signed in as ${account.username}`)).toBeVisible();
    await use(reference);
  },
});

function watch(context: BrowserContext, origin: string): string[] {
  const faults: string[] = [];
  context.on('console', (message) => {
    const isOperation = message.location().url.startsWith(`${origin}/api/`);
    if (!REFUSED.test(message.text()) || !isOperation)
      faults.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => faults.push(`uncaught: ${error.error().message}`));
  context.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/`))
      faults.push(`elsewhere: ${request.url()}`);
  });
  return faults;
}

/** A statement past the service. */
export async function sql(text: string, values: unknown[] = []): Promise<void> {
  await rowsOf(process.env['DATABASE_URL']!, text, values);
}

/** The reference page as a reader uses it. */
export class ReferencePage {
  readonly account: Locator;
  /** Who is signed in, in the bar at the top. */
  readonly who: Locator;

  constructor(readonly page: Page) {
    this.account = page.getByRole('region', { name: 'Your account' });
    this.who = page.locator('#who');
  }

  async open(): Promise<void> {
    await this.page.goto('/docs');
    await this.page.locator('.operation').first().waitFor();
  }

  async signIn({ username, password }: Credentials): Promise<void> {
    await this.account.getByLabel('Username').fill(username);
    await this.account.getByLabel('Password').fill(password);
    await this.account.getByRole('button', { name: 'Sign in' }).click();
  }

  operation(operationId: string): Operation {
    return new Operation(this.page.locator(`#${operationId}`));
  }
}

/** One operation on the page, to be tried. */
export class Operation {
  readonly response: Locator;
  readonly status: Locator;
  readonly problem: Locator;

  constructor(readonly block: Locator) {
    this.response = block.getByRole('group', { name: 'Response' });
    this.status = this.response.locator('.status:is(.good, .bad) strong');
    this.problem = this.response.locator('.problem');
  }

  input(name: string): Locator {
    return this.block.locator(`input[name="${name}"]`);
  }

  get body(): Locator {
    return this.block.getByLabel('Body');
  }

  /** Sends the request as it is filled in, expects the status, and returns the body that the page shows. */
  async execute(status: string): Promise<string> {
    await this.block.getByRole('button', { name: 'Execute' }).click();
    await expect(this.status).toHaveText(new RegExp(`^${status}`));
    const code = this.response.locator('.code > code');
    return (await code.count()) > 0 ? code.innerText() : '';
  }
}

export function idIn(body: string): string {
  return /"id": (\d+)/.exec(body)?.[1] ?? '';
}
