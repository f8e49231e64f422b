import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Service } from '../faults/support/service.js';
import { until } from '../support/until.js';
import type { Holdings } from './collector.js';

const COLLECTOR = pathToFileURL(join(import.meta.dirname, 'collector.js'));
const PATIENCE = 20_000;

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
    await until(() => existsSync(this.file), PATIENCE);
    return JSON.parse(readFileSync(this.file, 'utf8')) as Holdings;
  }
}
