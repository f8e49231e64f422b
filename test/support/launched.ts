import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../src/app.js';
import { Tokens } from '../../src/auth/tokens.js';
import type { Settings } from '../../src/config/env.js';
import { Database } from '../../src/database/database.js';
import { Client } from './client.js';
import { opened } from './opened.js';
import { testSettings } from './settings.js';
import { until } from './until.js';

/** The application on a port of its own, whether or not its database is there. */
export class Launched {
  #close = (): Promise<void> => this.app.close();
  readonly #stop = opened(() => this.#close());

  private constructor(
    readonly app: NestFastifyApplication,
    readonly settings: Settings,
    readonly anonymous: Client,
  ) {}

  static async at(databaseUrl: string, env: Record<string, string> = {}): Promise<Launched> {
    const settings = testSettings(databaseUrl, env);
    const app = await createApp(settings);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.getHttpServer().address() as { port: number };
    return new Launched(app, settings, new Client(`http://127.0.0.1:${port}`));
  }

  /** A client with a valid token of the account, which only the database knows to be there. */
  caller(id = '1'): Client {
    return new Client(this.anonymous.url, this.app.get(Tokens).issue({ id, role: 'USER' }));
  }

  get isReady(): boolean {
    return this.app.get(Database).ready;
  }

  async ready(): Promise<void> {
    await until(() => this.isReady);
  }

  /** Stops it once, in the given way. */
  async stop(close = this.#close): Promise<void> {
    this.#close = close;
    await this.#stop();
  }
}
