import { Cleanup } from '../../../bench/cleanup.js';
import { freePort } from '../../../bench/launch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import type { Criterion } from '../protocol.js';
import { newOwners, type Owner } from './accounts.js';
import { Cluster } from './cluster.js';
import { Load } from './load.js';
import { Probes } from './probes.js';
import { type Launch, Service } from './service.js';

export interface SceneOptions extends Pick<Launch, 'output' | 'isLimited'> {
  /** The address of PostgreSQL by way of a proxy. */
  readonly route?: (url: string) => string;
  /** The folder for the data of PostgreSQL. */
  readonly disk?: string;
}

/** The database, the service on it, its clients and probes. */
export interface Scene {
  readonly cluster: Cluster;
  readonly service: Service;
  readonly owners: readonly Owner[];
  readonly load: Load;
  readonly probes: Probes;
}

/** Works with a rig of its own, which is taken down at its end, or at the end of the command. */
export async function withRig<T>(atTheEnd: Cleanup, work: (rig: Rig) => Promise<T>): Promise<T> {
  const cleanup = new Cleanup();
  atTheEnd.defer(() => cleanup.run());
  try {
    return await work(new Rig(cleanup));
  } finally {
    await cleanup.run();
  }
}

/** Starts the parts of a protocol, and takes them down at its end. */
export class Rig {
  readonly folder: string;

  constructor(private readonly cleanup: Cleanup) {
    this.folder = temporaryFolder(cleanup, 'rig');
  }

  defer(step: () => Promise<void> | void): () => Promise<void> {
    return this.cleanup.defer(step);
  }

  async cluster(within = this.folder): Promise<Cluster> {
    const cluster = await Cluster.start({ within });
    this.defer(async () => {
      cluster.signalAll('SIGCONT'); // a stopped one would never end
      await cluster.remove();
    });
    return cluster;
  }

  launch(launch: Launch, port?: number): Service {
    return new Service(this, launch, port);
  }

  /** A cluster, the service ready on it with some owners, a load to be started, and probes. */
  async scene({ route, disk, ...launch }: SceneOptions = {}): Promise<Scene> {
    const cluster = await this.cluster(disk);
    const databaseUrl = route?.(cluster.url) ?? cluster.url;
    const port = launch.output === undefined ? 0 : await freePort(); // otherwise the log names it
    const service = await this.launch({ ...launch, databaseUrl }, port).ready();
    const owners = await newOwners(service.url);
    const load = new Load(this, service.url, owners);
    const probes = new Probes(this, service.url);
    return { cluster, service, owners, load, probes };
  }
}

/** Stops load and probes, then compares the client's book with the database. */
export async function settle({ load, probes, cluster }: Scene): Promise<Criterion[]> {
  await load.stop();
  await probes.stop();
  return load.ledger.check(cluster.sql);
}
