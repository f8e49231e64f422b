import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { handOver, NOBODY, withAccess } from '../../../src/quickstart/embedded-postgres/run-as.js';
import { readPostmaster } from '../../../src/quickstart/embedded-postgres/postmaster.js';
import { signalServer } from '../../faults/support/cluster.js';
import type { Rig } from '../../faults/support/rig.js';
import { deployed } from '../../support/deployed.js';
import { Program } from '../../support/program.js';
import { until } from '../../support/until.js';
import type { Programs } from './programs.js';

export const PASSWORD = 'unused';
const NAME = 'property-finance';
const DATABASE = 'property_finance';
const SERVERS = ['a', 'b', 'c'];
const [REST, POSTGRES, ETCD, ETCD_PEER] = [8008, 5432, 2379, 2380];
/** Milliseconds. */
const SETTLED_WITHIN = 90_000;

/** PostgreSQL refuses to run as root, and nobody else may enter root's home, where Patroni may be. */
const RUN_AS = process.getuid?.() === 0 ? withAccess(NOBODY) : { prefix: [] };

/** As Patroni's REST API tells of it. */
interface Member {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
}

/** Addresses of this machine alone, with which the files of deploy/patroni keep their ports. */
class Network {
  private readonly prefix = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;

  readonly haproxy = `${this.prefix}.10`;
  readonly etcd = `${this.prefix}.20`;

  server(name: string): string {
    return `${this.prefix}.${11 + SERVERS.indexOf(name)}`;
  }
}

/** A machine with Patroni, and the PostgreSQL that it runs. */
export class PatroniServer {
  readonly configuration: string;
  readonly address: string;
  private readonly folder: string;
  private readonly data: string;
  private program: Program | undefined;

  constructor(
    private readonly rig: Rig,
    private readonly programs: Programs,
    network: Network,
    readonly name: string,
  ) {
    this.folder = join(rig.folder, `patroni-${name}`);
    this.data = join(this.folder, 'data');
    this.configuration = join(this.folder, 'patroni.yml');
    this.address = network.server(name);
    mkdirSync(this.folder);
    chmodSync(this.folder, 0o755);
    handOver(this.folder, RUN_AS);
    const text = deployed('patroni/patroni.yml', [
      ['10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379', `${network.etcd}:${ETCD}`],
      ['10.0.0.0/24', '127.0.0.0/8'],
      ['10.0.0.11', this.address],
      ['name: a', `name: ${name}`],
      ['CHANGE-ME', PASSWORD],
      ['/usr/lib/postgresql/18/bin', programs.postgres],
      ['/var/lib/postgresql/18/property-finance', this.data],
      ['/run/postgresql', this.folder],
    ]);
    writeFileSync(this.configuration, text);
  }

  async start(): Promise<void> {
    this.rig.defer(() => this.killPostgres());
    const patroni = join(this.programs.patroni, 'patroni');
    const command = ['env', `HOME=${this.folder}`, patroni, this.configuration];
    this.program = new Program(this.rig, [...RUN_AS.prefix, ...command]);
    await this.program.listens(REST, this.address);
  }

  /** Every process ends at once, as with its machine. */
  kill(): void {
    this.program?.signal('SIGKILL');
    this.killPostgres();
  }

  /** A statement of the superuser. */
  readonly sql = async <Row>(
    text: string,
    values: readonly unknown[] = [],
    database = DATABASE,
  ): Promise<Row[]> => {
    const connectionString = `postgres://postgres:${PASSWORD}@${this.address}:${POSTGRES}/${database}`;
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1000 });
    client.on('error', () => undefined); // it also fails the statement
    try {
      await client.connect();
      return (await client.query(text, [...values])).rows as Row[];
    } finally {
      await client.end();
    }
  };

  /** How it sees the cluster; none when it does not answer. */
  async members(): Promise<readonly Member[]> {
    const answer = await fetch(`http://${this.address}:${REST}/cluster`).catch(() => undefined);
    return answer === undefined ? [] : ((await answer.json()) as { members: Member[] }).members;
  }

  private killPostgres(): void {
    const postmaster = readPostmaster(this.data);
    if (postmaster !== undefined) signalServer(postmaster.pid, 'SIGKILL');
  }
}

/** Three servers that Patroni runs, one etcd, and HAProxy in front of them. */
export class Patroni {
  private constructor(
    private readonly programs: Programs,
    readonly all: readonly PatroniServer[],
    /** By way of HAProxy, which finds the leader. */
    readonly url: string,
  ) {}

  static async start(rig: Rig, programs: Programs): Promise<Patroni> {
    const network = new Network();
    await startEtcd(rig, programs, network);
    const servers = SERVERS.map((name) => new PatroniServer(rig, programs, network, name));
    await Promise.all(servers.map((server) => server.start()));
    const url = `postgres://${DATABASE}@${network.haproxy}:${POSTGRES}/${DATABASE}`;
    const patroni = new Patroni(programs, servers, url);
    await patroni.settled();
    const leader = await patroni.leader();
    await leader.sql(`CREATE ROLE ${DATABASE} LOGIN PASSWORD '${PASSWORD}'`, [], 'postgres');
    await leader.sql(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`, [], 'postgres');
    await startHaproxy(rig, programs, network);
    return patroni;
  }

  async leader(): Promise<PatroniServer> {
    return this.leaderInPlaceOf(undefined);
  }

  /** Waits until there is one, and it is another. */
  async leaderInPlaceOf(lost: PatroniServer | undefined): Promise<PatroniServer> {
    let leader: PatroniServer | undefined;
    await until(async () => {
      const found = (await this.members()).find(
        ({ role, state }) => role === 'leader' && state === 'running',
      );
      leader = this.all.find(({ name }) => name === found?.name);
      return leader !== undefined && leader !== lost;
    }, SETTLED_WITHIN);
    return leader!;
  }

  /** Waits until each of the three has its role, one that of the synchronous standby. */
  async settled(): Promise<void> {
    await until(async () => {
      const found = (await this.members()).map(({ role, state }) => `${role} ${state}`);
      return found.sort().join() === 'leader running,replica streaming,sync_standby streaming';
    }, SETTLED_WITHIN);
  }

  /** The leader and the synchronous standby change their roles. */
  async switchover(): Promise<void> {
    const { name } = await this.leader();
    const candidate = (await this.members()).find(({ role }) => role === 'sync_standby')?.name ?? '';
    const what = ['-c', this.all[0]!.configuration, 'switchover', NAME, '--force'];
    const roles = ['--leader', name, '--candidate', candidate];
    await promisify(execFile)(join(this.programs.patroni, 'patronictl'), [...what, ...roles]);
  }

  /** Whoever answers first tells; the others may be down. */
  private async members(): Promise<readonly Member[]> {
    for (const server of this.all) {
      const members = await server.members();
      if (members.length > 0) return members;
    }
    return [];
  }
}

async function startEtcd(rig: Rig, { etcd }: Programs, network: Network): Promise<void> {
  const [client, peer] = [ETCD, ETCD_PEER].map((port) => `http://${network.etcd}:${port}`);
  const args = [
    `--data-dir=${join(rig.folder, 'etcd')}`,
    ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
    `--initial-cluster=default=${peer}`,
  ];
  await new Program(rig, [etcd, ...args]).listens(ETCD, network.etcd);
}

async function startHaproxy(rig: Rig, { haproxy }: Programs, network: Network): Promise<void> {
  const file = join(rig.folder, 'patroni-haproxy.cfg');
  const text = deployed('patroni/haproxy.cfg', [
    ['10.0.0.10', network.haproxy],
    ...SERVERS.map((name, index) => [`10.0.0.${11 + index}`, network.server(name)] as const),
  ]);
  writeFileSync(file, text);
  await new Program(rig, [haproxy, '-f', file]).listens(POSTGRES, network.haproxy);
}
