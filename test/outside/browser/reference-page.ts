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
    return new Operation(this.visit.page.locator(`#${operationId}`));
  }
}

/** One operation on the page, to be tried. */
export class Operation {
  constructor(readonly block: Locator) {}

  get answer(): Locator {
    return this.block.getByRole('group', { name: 'Answer' });
  }

  /** Sends the body, or the example as it stands, and waits for the answer. */
  async execute({ body, path = {} }: { body?: string; path?: Record<string, string> } = {}): Promise<Shown> {
    if (body !== undefined) await this.block.getByLabel('Body').fill(body);
    for (const [name, value] of Object.entries(path)) await this.input(name).fill(value);
    await this.block.getByRole('button', { name: 'Execute' }).click();
    return this.shown();
  }

  input(name: string): Locator {
    return this.block.locator(`input[name="${name}"]`);
  }

  /** The answer that has come. */
  async shown(): Promise<Shown> {
    const status = this.answer.locator('.status:is(.good, .bad) strong');
    await status.waitFor();
    const [body, problem] = [this.answer.locator('.code > code'), this.answer.locator('.problem')];
    return {
      status: (await status.innerText()).slice(0, 3),
      body: (await body.count()) > 0 ? await body.innerText() : '',
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
