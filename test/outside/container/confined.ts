import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { peakMemoryOf } from '../../../bench/processes.js';
import { freePort } from '../../../bench/launch.js';
import type { Criterion } from '../../faults/protocol.js';
import { criterion, residentIsAtMost } from '../../faults/support/criteria.js';
import { time } from '../../faults/support/figures.js';
import { ownPages } from '../../faults/support/long-pages.js';
import { readPages } from '../../faults/support/page-readers.js';
import type { Rig } from '../../faults/support/rig.js';
import { TEST_SECRET } from '../../support/settings.js';
import { timeUntil } from '../../support/until.js';
import type { Engine } from './engine.js';

const LASTING = 30_000;
const LIMIT = 512;
const HEALTHY_WITHIN = 30_000;
/** Where nothing listens that knocks at 127.0.0.1. */
const HOST = '127.0.0.2';
const SOCKETS = '/run/postgresql';

/** As docs/security.md says. */
const CONFINEMENT = [
  ...['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
  ...[`--memory=${LIMIT}m`, '--pids-limit=64'],
];

/** Runs the image with nothing allowed, under the worst load of answers, and stops it. */
export async function runConfined(engine: Engine, image: string, rig: Rig): Promise<Criterion[]> {
  const name = basename(rig.folder);
  const port = await freePort();
  const cluster = await rig.cluster();
  const database = new URL(cluster.url);
  const sockets = database.searchParams.get('host') ?? '';
  for (const path of [sockets, join(sockets, '.s.PGSQL.5432')]) chmodSync(path, 0o777); // for another user
  database.searchParams.set('host', SOCKETS);
  const secret = join(rig.folder, 'jwt');
  writeFileSync(secret, TEST_SECRET);
  const settings = [`HOST=${HOST}`, `PORT=${port}`, 'SHUTDOWN_DELAY=1s', `DB_URL=${database.href}`];
  const secrets = ['JWT_SECRET_FILE=/run/secrets/jwt', 'DB_PASSWORD=unused'];
  const env = [...settings, ...secrets].flatMap((setting) => ['--env', setting]);
  const volumes = ['--volume', `${secret}:/run/secrets/jwt:ro`, '--volume', `${sockets}:${SOCKETS}`];
  rig.defer(async () => {
    await engine.podman('rm', '--force', '--ignore', name);
  });
  const options = ['--detach', '--name', name, '--network=host', ...CONFINEMENT, ...env, ...volumes];
  await engine.podman('run', ...options, image);
  const url = `http://${HOST}:${port}`;
  const healthy = await succeedsAfter(engine, 'healthcheck', 'run', name);
  const ready = await succeedsAfter(engine, 'exec', name, 'bash', 'scripts/health.sh', 'readiness');
  const [owner] = await rig.owners(url, 1);
  await ownPages(cluster, owner!);
  const pid = Number(await engine.podman('inspect', '--format', '{{.State.Pid}}', name));
  const idle = peakMemoryOf(pid) ?? NaN;
  const answers = await readPages(url, [owner!], LASTING);
  const further = `, ${Math.round(idle)} MB before; ${countedMemoryOf(pid)} counted in the control group`;
  const memory = residentIsAtMost(400, pid, `, in a limit of ${LIMIT} MB`, further);
  const begin = performance.now();
  await engine.podman('stop', '--time', '20', name);
  const took = performance.now() - begin;
  const code = await engine.podman('inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', name);
  return [
    criterion(`HEALTHCHECK finds it at ${HOST}`, Number.isFinite(healthy), `after ${time(healthy)}`),
    criterion('the readiness check does as well', Number.isFinite(ready), `after ${time(ready)}`),
    ...answers,
    memory,
    criterion(
      'a stop ends it with 0',
      code === '0 false',
      `${code} after ${time(took)}, of it 1 s SHUTDOWN_DELAY`,
    ),
  ];
}

async function succeedsAfter(engine: Engine, ...args: string[]): Promise<number> {
  return timeUntil(() => engine.succeeds('podman', ...args), HEALTHY_WITHIN, 200);
}

function countedMemoryOf(pid: number): string {
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  const [, first] = /^\d+:memory:(.*)$/m.exec(groups) ?? [];
  const [, second = ''] = /^0::(.*)$/m.exec(groups) ?? [];
  const file =
    first === undefined
      ? `/sys/fs/cgroup${second}/memory.peak`
      : `/sys/fs/cgroup/memory${first}/memory.max_usage_in_bytes`;
  return `${Math.round(Number(readFileSync(file, 'utf8')) / 1024 ** 2)} MB`;
}
