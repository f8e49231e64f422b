import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Service } from '../faults/support/service.js';
import type { Holdings } from './collector.js';

const COLLECTOR = pathToFileURL(join(import.meta.dirname, 'collector.js'));
const PATIENCE = 20_000;
const POLL_INTERVAL = 10;

/** Has the service collect its garbage, and reads what is left. */
export class HoldingsReader {
  readonly nodeArgs: readonly string[];
  private readonly file: string;

  constructor(folder: string) {
    this.file = join(folder, 'holdings.json');
    const collector = new URL(COLLECTOR);
    collector.searchParams.set('file', this.file);
    this.nodeArgs = ['--expose-gc', '--import', collector.href];
  }

  async read(service: Service): Promise<Holdings> {
    rmSync(this.file, { force: true });
    service.signal('SIGUSR2');
    for (const deadline = performance.now() + PATIENCE; performance.now() < deadline;) {
      const text = this.text();
      if (text !== undefined) return JSON.parse(text) as Holdings;
      await sleep(POLL_INTERVAL);
    }
    throw new Error('the service does not collect its garbage');
  }

  private text(): string | undefined {
    try {
      return readFileSync(this.file, 'utf8');
    } catch {
      return undefined;
    }
  }
}
