import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { freePort } from '../../../bench/launch.js';
import type { Rig } from '../../faults/support/rig.js';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { PROMETHEUS } from '../../support/monitoring.js';
import type { PostgresServer } from '../../support/postgres-server.js';
import { Program } from '../../support/program.js';
import { timeUntil } from '../../support/until.js';
import { makeCertificate } from '../support/certificate.js';
import { run } from '../support/commands.js';

/** Every duration of the configuration is divided by this: an alert then takes a minute and not ten. */
export const PACE = 10;
export const METRICS_TOKEN = 'a-token-for-scrapes-in-tests-only-0123456789';
const TIMED = ['prometheus.yml', 'alertmanager.yml', 'rules/property-finance.yml'];
const DURATION = /(?<![\w.])(\d+)([smh])\b/g;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const HOST = '127.0.0.1';
/** The parameters of the address in postgres-exporter.env, by the shell. */
const ADDRESS = '${DATA_SOURCE_URI#localhost:5432/property_finance}';

type Labels = Readonly<Record<string, string>>;

/** Receives alerts, and keeps those that fire. */
export class Webhook {
  private readonly firing = new Map<string, Labels>();
  readonly server = createServer((request, response) => {
    void json(request).then((body) => {
      for (const { status, labels } of (body as { alerts: { status: string; labels: Labels }[] }).alerts)
        if (status === 'firing') this.firing.set(JSON.stringify(labels), labels);
        else this.firing.delete(JSON.stringify(labels));
      response.end();
    });
  });

  /** Seconds until the alert fires, or fires no more; Infinity when that takes longer. */
  async told(firing: boolean, alert: string, instance: string, within: number): Promise<number> {
    const fires = (): boolean =>
      [...this.firing.values()].some(
        (labels) => labels['alertname'] === alert && (labels['instance'] ?? instance) === instance,
      );
    return (await timeUntil(() => fires() === firing, within * 1000)) / 1000;
  }
}

/** A copy of deploy/prometheus at another pace and with other addresses, and its secrets. */
function configure(folder: string, group: number, webhook: string): void {
  const change = (name: string, edit: (text: string) => string): void => {
    const file = join(folder, name);
    writeFileSync(file, edit(readFileSync(file, 'utf8')));
  };
  const hasten = (_: string, number: string, unit: string): string =>
    `${(Number(number) * (UNITS[unit] ?? 0)) / PACE}ms`;
  cpSync(PROMETHEUS, folder, { recursive: true });
  for (const file of TIMED) change(file, (text) => text.replaceAll(DURATION, hasten));
  change('alertmanager.yml', (text) => text.replace('localhost:9095', webhook));
  change('postgres-exporter.env', (text) => text.replaceAll('/etc/prometheus', folder));
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets, { mode: 0o750 });
  writeFileSync(join(secrets, 'scrape-token'), `${METRICS_TOKEN}\n`, { mode: 0o640 });
  writeFileSync(join(secrets, 'postgres-password'), 'unused\n', { mode: 0o640 });
  for (const name of ['', 'scrape-token', 'postgres-password']) chownSync(join(secrets, name), 0, group);
}

async function listening(rig: Rig, server: Server | https.Server): Promise<string> {
  await once(server.listen(0, HOST), 'listening');
  rig.defer(() => void server.close());
  return `${HOST}:${(server.address() as AddressInfo).port}`;
}

type Addresses = Readonly<Record<'prober' | 'front' | 'service' | 'alertmanager' | 'prometheus', string>>;

/** The files in targets/, with addresses. */
function writeTargets(folder: string, postgres: readonly string[], at: Addresses): void {
  const probe = (target: string, instance: string): object => ({
    targets: [at.prober],
    labels: { __param_target: target, instance },
  });
  const targets = {
    'property-finance': { targets: [at.service] },
    readiness: probe(`http://${at.service}/actuator/health/readiness`, at.service),
    certificate: probe(at.front, at.front),
    postgres: { targets: postgres },
    alertmanager: { targets: [at.alertmanager] },
    monitoring: { targets: [at.prober, at.alertmanager, at.prometheus] },
  };
  for (const [name, group] of Object.entries(targets))
    writeFileSync(join(folder, `targets/${name}.yml`), JSON.stringify([group])); // YAML takes JSON
}

/** Starts the programs that watch, as the user of Debian's package. */
export async function setStage(rig: Rig, databases: [PostgresServer, PostgresServer], service: string) {
  const idOf = async (option: string): Promise<number> => Number(await run('id', [option, 'prometheus']));
  const [uid, gid] = [await idOf('-u'), await idOf('-g')];
  const folder = join(rig.folder, 'prometheus');
  const webhook = new Webhook();
  configure(folder, gid, await listening(rig, webhook.server));
  const start = async (command: readonly string[], port: number, path: string): Promise<string> => {
    const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
    const listen = `--web.listen-address=${HOST}:${port}`;
    const env = { PATH: process.env['PATH'] };
    const program = new Program(rig, ['setpriv', ...user, ...command, listen], { env });
    await program.serves(`http://${HOST}:${port}${path}`);
    return `${HOST}:${port}`;
  };
  const config = (name: string): string => `--config.file=${join(folder, name)}`;
  const storage = (name: string): string => {
    mkdirSync(join(rig.folder, name));
    chownSync(join(rig.folder, name), uid, gid);
    return join(rig.folder, name);
  };
  const exporter = async (database: PostgresServer): Promise<string> => {
    const proxy = await DatabaseProxy.open(); // the server itself has only a socket, closed to other users
    rig.defer(() => proxy.end());
    const { host, pathname } = new URL(proxy.url(database.url));
    const script = `set -a; . '${folder}/postgres-exporter.env'; DATA_SOURCE_URI="${host}${pathname}${ADDRESS}"
      exec prometheus-postgres-exporter $ARGS "$@"`;
    return start(['sh', '-c', script, 'sh'], await freePort(), '/');
  };
  const postgres = [await exporter(databases[0]), await exporter(databases[1])];
  const blackbox = ['prometheus-blackbox-exporter', config('blackbox.yml')];
  const prober = await start(blackbox, await freePort(), '/-/healthy');
  const alerts = [`--storage.path=${storage('alertmanager')}`, '--cluster.listen-address='];
  const alerting = ['prometheus-alertmanager', config('alertmanager.yml'), ...alerts];
  const alertmanager = await start(alerting, await freePort(), '/-/ready');
  const front = https.createServer({ ...makeCertificate(rig.folder, 90) }, (_, response) => response.end());
  const url = `https://${await listening(rig, front)}/`;
  const port = await freePort();
  const at = { service, front: url, prober, alertmanager, prometheus: `${HOST}:${port}` };
  writeTargets(folder, postgres, at);
  const data = `--storage.tsdb.path=${storage('tsdb')}`;
  const prometheus = await start(['prometheus', config('prometheus.yml'), data], port, '/-/ready');
  return { prometheus: `http://${prometheus}`, webhook };
}
