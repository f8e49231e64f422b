import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROMETHEUS } from '../../support/monitoring.js';
import type { User } from './programs.js';

/** Every duration of the configuration is divided by this, so that a fault and its end take a minute and not ten. */
export const PACE = 10;
/** Seconds between two scrapes, then. */
export const SCRAPE_INTERVAL = 15 / PACE;

const TIMED = ['prometheus.yml', 'alertmanager.yml', 'rules/property-finance.yml'];
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** The group of targets of a file in targets/. */
export interface Targets {
  readonly targets: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

/** A copy of `deploy/prometheus` with other addresses, and at another pace. Nothing else in it is changed. */
export class Configuration {
  constructor(
    readonly folder: string,
    private readonly reader: User,
    webhookPort: number,
  ) {
    cpSync(PROMETHEUS, folder, { recursive: true });
    for (const file of TIMED) this.change(file, hasten);
    this.change('alertmanager.yml', (text) => text.replace('localhost:9095', `127.0.0.1:${webhookPort}`));
    this.change('postgres-exporter.env', (text) => text.replaceAll('/etc/prometheus', folder));
    this.makeSecrets({ uid: 0, gid: 0 });
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  get tokenFile(): string {
    return this.file('secrets/scrape-token');
  }

  /** As the README says: who renews the secrets writes, and Prometheus reads. */
  makeSecrets(writer: User): void {
    const folder = this.file('secrets');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o750);
    chownSync(folder, writer.uid, this.reader.gid);
  }

  writeSecret(name: string, content: string, reader: User = this.reader): void {
    const file = this.file(`secrets/${name}`);
    writeFileSync(file, `${content}\n`, { mode: 0o640 });
    chownSync(file, 0, reader.gid);
  }

  /** Prometheus sees it by itself. YAML takes JSON. */
  setTargets(name: string, ...groups: Targets[]): void {
    writeFileSync(this.file(`targets/${name}.yml`), JSON.stringify(groups));
  }

  private change(name: string, edit: (text: string) => string): void {
    writeFileSync(this.file(name), edit(readFileSync(this.file(name), 'utf8')));
  }
}

function hasten(text: string): string {
  return text.replaceAll(
    /(?<![\w.])(\d+)([smh])\b/g,
    (_, number: string, unit: string) => `${(Number(number) * (UNITS[unit] ?? 0)) / PACE}ms`,
  );
}
