import type { Locator } from 'playwright-core';
import type { Visit } from './visit.js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The reference page as a reader uses it. */
export class ReferencePage {
  constructor(readonly visit: Visit) {}

  get account(): Locator {
    return this.visit.page.getByRole('region', { name: 'Your account' });
  }

  /** Who is signed in, as the bar at the top says. */
  get who(): Locator {
    return this.visit.page.locator('#who');
  }

  async signIn({ username, password }: Credentials): Promise<void> {
    await this.account.getByLabel('Username').fill(username);
    await this.account.getByLabel('Password').fill(password);
    await this.account.getByRole('button', { name: 'Sign in' }).click();
  }

  async createAccount(email: string, { username, password }: Credentials): Promise<void> {
    await this.account.getByLabel('E-mail').fill(email);
    await this.account.getByLabel('Username').fill(username);
    await this.account.getByLabel('Password').fill(password);
    await this.account.getByRole('button', { name: 'Create account' }).click();
  }

  operation(operationId: string): Operation {
    return new Operation(this.visit.page.locator(`.opblock[id$="-${operationId}"]`));
  }
}

/** One operation on the page, to be opened and tried. */
export class Operation {
  constructor(readonly block: Locator) {}

  async open(): Promise<void> {
    const control = this.block.locator('.opblock-summary-control');
    if ((await control.getAttribute('aria-expanded')) === 'false') await control.click();
    await this.block.getByRole('button', { name: 'Execute' }).waitFor();
  }

  /** Sends the body, or the example as it stands, and waits for the answer. */
  async execute({ body, path = {} }: { body?: string; path?: Record<string, string> } = {}): Promise<Shown> {
    await this.open();
    if (body !== undefined) await this.block.locator('textarea').fill(body);
    for (const [name, value] of Object.entries(path))
      await this.block.locator(`tr[data-param-name="${name}"] input`).fill(value);
    const clear = this.block.getByRole('button', { name: 'Clear' });
    if (await clear.isVisible()) await clear.click();
    await this.block.getByRole('button', { name: 'Execute' }).click();
    const answer = this.block.locator('.live-responses-table');
    await answer.waitFor();
    const problem = answer.locator('.problem');
    return {
      status: (await answer.locator('.response-col_status').last().innerText()).trim().slice(0, 3),
      body: await answer.locator('.highlight-code code').first().innerText(),
      problem: (await problem.count()) > 0 ? await problem.innerText() : undefined,
    };
  }
}

/** An answer as the page shows it. */
export interface Shown {
  readonly status: string;
  readonly body: string;
  readonly problem: string | undefined;
}
