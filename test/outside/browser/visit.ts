import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';

const PATIENCE = 10_000;

/** How Chromium reports, as an error of the page, an answer of 400 and above to a request that the page has sent. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

export const DESKTOP = { viewport: { width: 1280, height: 960 } } satisfies BrowserContextOptions;
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
} satisfies BrowserContextOptions;

/** One visit to the page, with a new profile, and all that went wrong meanwhile. */
export class Visit {
  readonly faults: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.setDefaultTimeout(PATIENCE);
    page.on('console', (message) => this.hear(message));
    page.on('pageerror', (error) => this.faults.push(`uncaught: ${error.message}`));
    page.on('requestfailed', (request) => {
      const isLeft = request.failure()?.errorText === 'net::ERR_ABORTED'; // the visit went on to another page meanwhile
      if (!isLeft) this.faults.push(`failed: ${request.url()}`);
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) this.faults.push(`elsewhere: ${url}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400 && !this.isOperation(response.url()))
        this.faults.push(`${response.status()}: ${response.url()}`);
    });
  }

  /** Opens the page of the service and waits until it is complete. */
  static async start(
    browser: Browser,
    origin: string,
    options: BrowserContextOptions = DESKTOP,
  ): Promise<Visit> {
    const context = await browser.newContext(options);
    const visit = new Visit(await context.newPage(), origin);
    await visit.reload();
    return visit;
  }

  async reload(): Promise<void> {
    await this.page.goto(`${this.origin}/docs`);
    await this.page.locator('.operation').first().waitFor();
  }

  async end(): Promise<void> {
    await this.page.context().close();
  }

  /** The value of an expression in the page. */
  read<T>(expression: string): Promise<T> {
    return this.page.evaluate<T>(expression);
  }

  private hear(message: ConsoleMessage): void {
    const isExpected = REFUSED.test(message.text()) && this.isOperation(message.location().url);
    if (!isExpected) this.faults.push(`console ${message.type()}: ${message.text()}`);
  }

  private isOperation(url: string): boolean {
    return url.startsWith(`${this.origin}/api/`) || url.startsWith(`${this.origin}/actuator`);
  }
}
