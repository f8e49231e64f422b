import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../../../bench/cleanup.js';
import { freePort } from '../../../bench/launch.js';
import type { Program } from '../../support/program.js';
import { Configuration, type Targets } from './configuration.js';
import type { Databases } from './databases.js';
import type { Instance } from './instance.js';
import { type Launch, ownUser, prometheusUser, startAs } from './programs.js';
import { PrometheusApi } from './prometheus-api.js';
import { TlsFront } from './tls-front.js';
import { Webhook, WEBHOOK } from './webhook.js';

export const METRICS_TOKEN = 'a-token-for-scrapes-in-tests-only-0123456789';
const HOST = '127.0.0.1';
/** What the shell leaves of the address in the file when it takes server and database away. */
const ADDRESS = '${DATA_SOURCE_URI#localhost:5432/property_finance}';

/** Everything that watches, as deploy/prometheus says. */
export class Stage {
  readonly user = prometheusUser();
  readonly configuration: Configuration;
  webhook!: Webhook;
  api!: PrometheusApi;
  front!: TlsFront;
  /** The exporter beside the replica, and its name. */
  replica!: { program: Program; readonly name: string };
  private readonly watchers: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly databases: Databases,
    private readonly cleanup: Cleanup,
    private readonly ports: { readonly webhook: number; readonly replica: number },
  ) {
    this.configuration = new Configuration(join(folder, 'prometheus'), this.user, ports.webhook);
  }

  static async set(folder: string, databases: Databases, cleanup: Cleanup): Promise<Stage> {
    const ports = { webhook: await freePort(), replica: await freePort() };
    const stage = new Stage(folder, databases, cleanup, ports);
    const { configuration } = stage;
    configuration.writeSecret('scrape-token', METRICS_TOKEN);
    configuration.writeSecret('postgres-password', 'unused'); // the servers trust whoever reaches them
    stage.front = await TlsFront.start(cleanup, folder);
    await stage.startWebhook();
    await stage.startExporters();
    await stage.startAlertmanager();
    await stage.startPrometheus();
    return stage;
  }

  /** Prometheus scrapes these, and has the blackbox exporter ask for their readiness. */
  watch(...instances: readonly Instance[]): void {
    const [blackbox = ''] = this.watchers;
    const probe = (target: string, instance: string): Targets => ({
      targets: [blackbox],
      labels: { __param_target: target, instance },
    });
    const { configuration, front } = this;
    configuration.setTargets('property-finance', { targets: instances.map(({ name }) => name) });
    configuration.setTargets(
      'readiness',
      ...instances.map(({ url, name }) => probe(`${url}/actuator/health/readiness`, name)),
    );
    configuration.setTargets('certificate', probe(front.url, front.url));
    configuration.setTargets('monitoring', { targets: this.watchers });
  }

  /** With the file that goes to /etc/default. Only where the database is differs. */
  async startExporter(beside: 'primary' | 'standby', port: number): Promise<Program> {
    const { proxy, url } = await this.databases.way(this.cleanup, beside);
    this.cleanup.defer(() => proxy.close());
    const { host, pathname } = new URL(url);
    const script = [
      `set -a; . '${this.configuration.file('postgres-exporter.env')}'`,
      `DATA_SOURCE_URI="${host}${pathname}${ADDRESS}"`,
      `exec prometheus-postgres-exporter $ARGS --web.listen-address=${HOST}:${port}`,
    ];
    const command = ['sh', '-c', script.join('; ')] as const;
    return this.start({ user: this.user, command }, port, '/');
  }

  private async startExporters(): Promise<void> {
    const { ports, configuration } = this;
    const [port, blackbox] = [await freePort(), await freePort()];
    await this.startExporter('primary', port);
    const replica = `${HOST}:${ports.replica}`;
    this.replica = { program: await this.startExporter('standby', ports.replica), name: replica };
    configuration.setTargets('postgres', { targets: [`${HOST}:${port}`, replica] });
    const command = [
      'prometheus-blackbox-exporter',
      `--config.file=${configuration.file('blackbox.yml')}`,
      `--web.listen-address=${HOST}:${blackbox}`,
    ] as const;
    await this.start({ user: ownUser(), command }, blackbox, '/-/healthy');
    this.watchers.push(`${HOST}:${blackbox}`);
  }

  private async startWebhook(): Promise<void> {
    const { webhook } = this.ports;
    const command = [process.execPath, '-e', WEBHOOK, String(webhook)] as const;
    this.webhook = new Webhook(await this.start({ user: ownUser(), command }, webhook, '/'));
  }

  private async startAlertmanager(): Promise<void> {
    const port = await freePort();
    const user = ownUser();
    const command = [
      'prometheus-alertmanager',
      `--config.file=${this.configuration.file('alertmanager.yml')}`,
      `--storage.path=${this.storage('alertmanager', user.uid)}`,
      `--web.listen-address=${HOST}:${port}`,
      '--cluster.listen-address=',
    ] as const;
    await this.start({ user, command }, port, '/-/ready');
    this.configuration.setTargets('alertmanager', { targets: [`${HOST}:${port}`] });
    this.watchers.push(`${HOST}:${port}`);
  }

  private async startPrometheus(): Promise<void> {
    const port = await freePort();
    this.watchers.push(`${HOST}:${port}`);
    this.watch();
    const command = [
      'prometheus',
      `--config.file=${this.configuration.file('prometheus.yml')}`,
      `--storage.tsdb.path=${this.storage('prometheus', this.user.uid)}`,
      `--web.listen-address=${HOST}:${port}`,
    ] as const;
    await this.start({ user: this.user, command }, port, '/-/ready');
    this.api = new PrometheusApi(`http://${HOST}:${port}`);
  }

  private storage(name: string, owner: number): string {
    const folder = join(this.folder, `${name}-data`);
    mkdirSync(folder);
    chownSync(folder, owner, owner);
    return folder;
  }

  private async start(launch: Launch, port: number, path: string): Promise<Program> {
    return startAs(launch, this.cleanup).answers(`http://${HOST}:${port}${path}`);
  }
}
