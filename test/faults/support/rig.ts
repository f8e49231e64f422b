import { basename } from 'node:path';
import { Cleanup } from '../../../bench/cleanup.js';
import { freePort } from '../../../bench/launch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import type { Criterion } from '../protocol.js';
import { newOwners, type Owner } from './accounts.js';
import { Cluster } from './cluster.js';
import { Caller } from './http.js';
import { Ledger } from './ledger.js';
import { Load, type Rate } from './load.js';
import { MemoryLimit } from './memory-limit.js';
import { Probes } from './probes.js';
import { type Launch, Service } from './service.js';

/** Writes of one owner wait for each other; with several they do so as little as in life. */
const OWNERS = 4;

export interface SceneOptions {
  /** The service's. */
  readonly env?: Record<string, string>;
  /** PostgreSQL's. */
  readonly settings?: Record<string, string>;
  /** Another way to the database than the straight one. */
  readonly route?: (url: string) => string;
  readonly rate?: Rate;
  /** Where its log goes. */
  readonly output?: number;
  /** What it may hold in memory. */
  readonly memory?: MemoryLimit | undefined;
}

/** The database, the service on it, and who looks on. */
export interface Scene {
  readonly cluster: Cluster;
  readonly service: Service;
  readonly owners: readonly Owner[];
  readonly ledger: Ledger;
  readonly load: Load;
  readonly probes: Probes;
}

/** Does the work with a rig of its own, which is taken down at its end, or at that of the command if it comes first. */
export async function withRig<T>(
  atTheEnd: Cleanup,
  work: (rig: Rig) => Promise<T>,
  disk?: string,
): Promise<T> {
  const cleanup = new Cleanup();
  atTheEnd.defer(() => cleanup.run());
  try {
    return await work(new Rig(cleanup, disk));
  } finally {
    await cleanup.run();
  }
}

/** What a protocol is made of. Everything is taken down at its end. */
export class Rig {
  readonly folder: string;

  constructor(
    private readonly cleanup: Cleanup,
    private readonly disk?: string,
  ) {
    this.folder = temporaryFolder(cleanup, 'rig');
  }

  defer(step: () => Promise<void> | void): void {
    this.cleanup.defer(step);
  }

  async cluster(settings?: Record<string, string>): Promise<Cluster> {
    const cluster = await Cluster.start({ within: this.disk ?? this.folder, settings });
    this.defer(async () => {
      cluster.signalAll('SIGCONT'); // else one that a failing protocol has left stopped would never end
      await cluster.remove();
    });
    return cluster;
  }

  /** A memory limit for a service to come; undefined where none can be had. */
  memoryLimit(megabytes: number): MemoryLimit | undefined {
    const limit = MemoryLimit.of(megabytes * 1024 ** 2, basename(this.folder));
    this.defer(() => limit?.remove());
    return limit;
  }

  launch(launch: Launch, port?: number): Service {
    return new Service(this, launch, port);
  }

  /** A cluster, the service ready on it with some owners, and a load and probes that have yet to be started. */
  async scene({ env = {}, settings, route, rate, output, memory }: SceneOptions = {}): Promise<Scene> {
    const cluster = await this.cluster(settings);
    const databaseUrl = route?.(cluster.url) ?? cluster.url;
    const port = output === undefined ? 0 : await freePort(); // else the log tells which it is
    const service = await this.launch({ databaseUrl, env, output, memory }, port).ready();
    const owners = await this.owners(service.url);
    const ledger = new Ledger();
    const load = new Load(new Caller(service.url), owners, ledger, rate);
    const probes = new Probes(service.url);
    this.defer(async () => {
      await Promise.all([load.stop(), probes.stop()]);
    });
    return { cluster, service, owners, ledger, load, probes };
  }

  async owners(url: string, number = OWNERS): Promise<Owner[]> {
    return newOwners(url, number);
  }
}

/** Stops load and probes, then holds the client's book against the database. */
export async function settle({ load, probes, ledger, cluster }: Scene): Promise<Criterion[]> {
  await load.stop();
  await probes.stop();
  return ledger.check(cluster.sql);
}
