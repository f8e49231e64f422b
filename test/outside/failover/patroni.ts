import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Missing } from '../../../bench/command.js';
import { readPostmaster } from '../../../src/quickstart/embedded-postgres/postmaster.js';
import { handOver, NOBODY_IDS, withAccess } from '../../../src/quickstart/embedded-postgres/run-as.js';
import { signalServer } from '../../faults/support/cluster.js';
import type { Rig } from '../../faults/support/rig.js';
import { rowsOf } from '../../support/connect.js';
import { Program, programOf } from '../../support/program.js';
import { until } from '../../support/until.js';
import { run } from '../support/commands.js';
import { deployed } from '../support/deployed.js';
import { startEtcd } from '../support/etcd.js';
import { pythonPrograms } from '../support/python.js';

export const PASSWORD = 'unused';
const NAME = 'property-finance';
const DATABASE = 'property_finance';
const SERVERS = ['a', 'b', 'c'];
const [REST, POSTGRES, ETCD] = [8008, 5432, 2379];
/** Where Debian has each version of PostgreSQL; npm's lacks programs that Patroni needs. */
const DEBIAN = '/usr/lib/postgresql';
/** Milliseconds. */
const SETTLED_WITHIN = 90_000;
/** PostgreSQL refuses to run as root, and no other user may enter root's home, where Patroni may be. */
const RUN_AS = process.getuid?.() === 0 ? withAccess(NOBODY_IDS) : { prefix: [] };
/** Addresses of this machine alone, with which the files of deploy/patroni keep their ports. */
const NETWORK = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
const [HAPROXY, ETCD_HOST] = [`${NETWORK}.10`, `${NETWORK}.20`];

/** In the response of Patroni's REST API; a role is `leader`, `sync_standby` or `replica`. */
type Member = Readonly<Record<'name' | 'role' | 'state', string>>;

function newestPostgres(): string {
  const command = `ls ${DEBIAN}/*/bin/pg_rewind | sort -V | tail -n 1`;
  const { stdout } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
  if (stdout !== '') return dirname(stdout);
  throw new Missing(`${DEBIAN} has no pg_rewind. On Debian and Ubuntu: apt-get install postgresql`);
}

/** A machine with Patroni and the PostgreSQL that it runs. */
export class PatroniServer {
  readonly address = `${NETWORK}.${11 + SERVERS.indexOf(this.name)}`;
  private readonly folder = join(this.rig.folder, `patroni-${this.name}`);
  readonly configuration = join(this.folder, 'patroni.yml');
  private program: Program | undefined;

  constructor(
    private readonly rig: Rig,
    private readonly bin: string,
    readonly name: string,
  ) {
    mkdirSync(this.folder);
    handOver(this.folder, RUN_AS);
    const text = deployed('patroni/patroni.yml', [
      ['10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379', `${ETCD_HOST}:${ETCD}`],
      ['10.0.0.0/24', '127.0.0.0/8'],
      ['10.0.0.11', this.address],
      ['name: a', `name: ${this.name}`],
      ['CHANGE-ME', PASSWORD],
      ['/usr/lib/postgresql/18/bin', newestPostgres()],
      ['/var/lib/postgresql/18/property-finance', join(this.folder, 'data')],
      ['/run/postgresql', this.folder],
    ]);
    writeFileSync(this.configuration, text);
    rig.defer(() => this.killPostgres());
  }

  async start(): Promise<void> {
    const command = ['env', `HOME=${this.folder}`, join(this.bin, 'patroni'), this.configuration];
    this.program = new Program(this.rig, [...RUN_AS.prefix, ...command]);
    await this.program.listens(REST, this.address);
  }

  /** Every process ends at once, as with its machine. */
  kill(): void {
    this.program?.signal('SIGKILL');
    this.killPostgres();
  }

  /** A statement of the superuser. */
  readonly sql = async <Row>(text: string, values: readonly unknown[] = [], database = DATABASE) => {
    const url = `postgres://postgres:${PASSWORD}@${this.address}:${POSTGRES}/${database}`;
    return (await rowsOf(url, text, [...values])) as Row[];
  };

  private killPostgres(): void {
    const postmaster = readPostmaster(join(this.folder, 'data'));
    if (postmaster !== undefined) signalServer(postmaster.pid, 'SIGKILL');
  }
}

/** Three servers that Patroni runs, one etcd, and HAProxy in front of them. */
export class Patroni {
  /** Through HAProxy, which finds the leader. */
  readonly url = `postgres://${DATABASE}@${HAPROXY}:${POSTGRES}/${DATABASE}`;

  private constructor(
    private readonly bin: string,
    readonly servers: readonly PatroniServer[],
  ) {}

  static async start(rig: Rig): Promise<Patroni> {
    const bin = await pythonPrograms();
    await startEtcd(rig, rig.folder, [ETCD_HOST, ETCD, ETCD + 1]);
    const servers = SERVERS.map((name) => new PatroniServer(rig, bin, name));
    await Promise.all(servers.map((server) => server.start()));
    const patroni = new Patroni(bin, servers);
    await patroni.settled();
    const leader = await patroni.leader();
    await leader.sql(`CREATE ROLE ${DATABASE} LOGIN PASSWORD '${PASSWORD}'`, [], 'postgres');
    await leader.sql(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`, [], 'postgres');
    const file = join(rig.folder, 'haproxy.cfg');
    const addresses = servers.map(({ address }, index) => [`10.0.0.${11 + index}`, address] as const);
    writeFileSync(file, deployed('patroni/haproxy.cfg', [['10.0.0.10', HAPROXY], ...addresses]));
    await new Program(rig, [programOf('haproxy'), '-f', file]).listens(POSTGRES, HAPROXY);
    return patroni;
  }

  /** Waits until there is a leader, and another than the one that was lost. */
  async leader(lost?: PatroniServer): Promise<PatroniServer> {
    let leader: PatroniServer | undefined;
    await until(async () => {
      const found = (await this.members()).find(({ role, state }) => `${role} ${state}` === 'leader running');
      leader = this.servers.find(({ name }) => name === found?.name);
      return leader !== undefined && leader !== lost;
    }, SETTLED_WITHIN);
    return leader!;
  }

  /** Waits until each of the three has its role, one that of the synchronous standby. */
  async settled(): Promise<void> {
    await until(async () => {
      const states = (await this.members()).map(({ role, state }) => `${role} ${state}`);
      return states.sort().join() === 'leader running,replica streaming,sync_standby streaming';
    }, SETTLED_WITHIN);
  }

  /** The leader and the synchronous standby change their roles. */
  async switchover(): Promise<void> {
    const { name } = await this.leader();
    const candidate = (await this.members()).find(({ role }) => role === 'sync_standby')?.name ?? '';
    const roles = ['--leader', name, '--candidate', candidate];
    const command = ['-c', this.servers[0]!.configuration, 'switchover', NAME, '--force', ...roles];
    await run(join(this.bin, 'patronictl'), command);
  }

  /** By the first server that answers. */
  private async members(): Promise<readonly Member[]> {
    const clusters = this.servers.map(async ({ address }) => {
      const response = await fetch(`http://${address}:${REST}/cluster`);
      return ((await response.json()) as { members: Member[] }).members;
    });
    return Promise.any(clusters);
  }
}
