import { join } from 'node:path';
import type { Cleanup } from '../../../bench/cleanup.js';
import { Program, programOf } from '../../support/program.js';

/** Starts an etcd that keeps its data in the folder. Returns its address for clients. */
export async function startEtcd(
  cleanup: Pick<Cleanup, 'defer'>,
  folder: string,
  [host, port, peerPort]: readonly [string, number, number],
): Promise<string> {
  const [client, peer] = [`http://${host}:${port}`, `http://${host}:${peerPort}`];
  const command = [
    ...[programOf('etcd', 'etcd-server'), `--data-dir=${join(folder, 'etcd')}`, '--unsafe-no-fsync'],
    ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
    `--initial-cluster=default=${peer}`,
  ];
  await new Program(cleanup, command).listens(port, host);
  return client;
}
