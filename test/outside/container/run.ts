import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../../../bench/launch.js';
import { progress } from '../../../bench/command.js';
import type { Criterion } from '../../faults/protocol.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion, none, residentIsAtMost } from '../../faults/support/criteria.js';
import { time } from '../../faults/support/figures.js';
import { ownPages, readPages } from '../../faults/support/page-readers.js';
import { type Rig, withRig } from '../../faults/support/rig.js';
import { send } from '../../support/http.js';
import { TEST_SECRET } from '../../support/settings.js';
import { timeUntil } from '../../support/until.js';
import { requirePrograms, run, succeeds } from '../support/commands.js';
import { pythonPrograms } from '../support/python.js';
import { buildImage, ENGINE, makeBaseImages, NODE_IMAGE, podman } from './engine.js';

const IMAGE = 'localhost/property-finance-service';
const MEGABYTES = 320;
const SCRIPTS = 'cli.mjs health.sh';
/** Programs that install, or change the user. */
const UNWANTED = /bin\/(npm|npx|corepack|yarn|apt|apt-get|dpkg|su|mount|passwd)$/;
const SETUID_OR_SETGID = 0o6000;
/** Milliseconds. */
const [LOAD, READY_WITHIN] = [30_000, 120_000];
/** In MB. */
const [LIMIT, RESIDENT] = [512, 400];
/** Nothing listens at 127.0.0.1. */
const HOST = '127.0.0.2';
const SOCKETS = '/run/postgresql';
/** The confinement that docs/security.md recommends. */
const CONFINEMENT = [
  ...['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
  ...[`--memory=${LIMIT}m`, '--pids-limit=64'],
];
const CREATE_ADMIN =
  'echo a-password-of-mine | ' +
  'node scripts/cli.mjs user create --username root --email root@example.com --admin --password-stdin';

const untilPodman = (...args: string[]): Promise<number> =>
  timeUntil(() => succeeds('podman', args, { env: ENGINE }), READY_WITHIN, 200);

async function contents(): Promise<Criterion[]> {
  const root = await podman('image', 'mount', IMAGE);
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => {
      return { path: file.slice(root.length + 1), mode: lstatSync(file).mode };
    });
  await podman('image', 'unmount', IMAGE);
  const paths = (pattern: RegExp): string[] =>
    files.map(({ path }) => path).filter((path) => pattern.test(path));
  const megabytes = Number(await podman('image', 'inspect', '--format', '{{.Size}}', IMAGE)) / 1e6;
  const user = await podman('image', 'inspect', '--format', '{{.Config.User}}', IMAGE);
  const scripts = paths(/^app\/scripts\//).map((path) => path.replace('app/scripts/', ''));
  const bcrypt = paths(/bcrypt\/prebuilds\/.*\.node$/);
  const setuid = files.flatMap(({ mode, path }) => ((mode & SETUID_OR_SETGID) === 0 ? [] : [path]));
  return [
    criterion(`at most ${MEGABYTES} MB`, megabytes <= MEGABYTES, `${Math.round(megabytes)} MB`),
    none('source map or type declaration', paths(/\.(map|d\.[mc]?ts)$/)),
    criterion('bcrypt for this platform alone', bcrypt.length === 1, bcrypt.join(', ')),
    criterion('only the scripts that it needs', scripts.sort().join(' ') === SCRIPTS, scripts.join(' ')),
    none('program that installs, or changes the user', paths(UNWANTED)),
    none('setuid or setgid program', setuid),
    criterion('the user is 1000, by number', user === '1000:1000', user),
  ];
}

/** Runs the image with no rights under the worst load of answers, and stops it. */
async function confined(rig: Rig): Promise<Criterion[]> {
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
    await podman('rm', '--force', '--ignore', name);
  });
  const fixed = ['run', '--detach', `--name=${name}`, '--network=host', ...CONFINEMENT];
  await podman(...fixed, ...env, ...volumes, IMAGE);
  const healthy = await untilPodman('healthcheck', 'run', name);
  const ready = await untilPodman('exec', name, 'bash', 'scripts/health.sh', 'readiness');
  const url = `http://${HOST}:${port}`;
  const [owner] = await rig.owners(url, 1);
  await ownPages(cluster, owner!);
  const answers = await readPages(url, [owner!], LOAD);
  const pid = Number(await podman('inspect', '--format', '{{.State.Pid}}', name));
  const memory = residentIsAtMost(RESIDENT, pid, `, in a limit of ${LIMIT} MB`);
  await podman('stop', '--time', '20', name);
  const end = await podman('inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', name);
  return [
    criterion(`HEALTHCHECK finds it at ${HOST}`, Number.isFinite(healthy), `after ${time(healthy)}`),
    criterion('the readiness check does as well', Number.isFinite(ready), `after ${time(ready)}`),
    ...answers,
    memory,
    criterion('a stop ends it with 0', end === '0 false', end),
  ];
}

/** Brings deploy/compose.yaml up, with another port and our image of PostgreSQL, and takes it down again. */
async function composed(podmanCompose: string, rig: Rig): Promise<Criterion[]> {
  const cwd = join(rig.folder, 'deploy');
  const project = basename(rig.folder).toLowerCase();
  const secret = (name: string): string => join(cwd, 'secrets', name);
  mkdirSync(secret(''), { recursive: true });
  for (const name of ['jwt', 'db-password', 'metrics-token'])
    writeFileSync(secret(name), randomBytes(48).toString('base64'));
  const port = await freePort();
  const text = readFileSync('deploy/compose.yaml', 'utf8');
  const changed = text.replace('127.0.0.1:8080:', `127.0.0.1:${port}:`).replace(/@sha256:\w+/, '');
  writeFileSync(join(cwd, 'compose.yaml'), changed);
  const compose = (...args: string[]): Promise<string> =>
    run(podmanCompose, ['--project-name', project, ...args], { cwd, env: ENGINE });
  rig.defer(async () => {
    await compose('down', '--volumes');
  });
  await compose('up', '--detach', '--no-build');
  const url = `http://127.0.0.1:${port}`;
  const statusOf = (path: string, token = ''): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = send(url, { method: 'GET', path: `/actuator/${path}`, headers }, { patience: 2000 });
    return asked.then((response) => response.status).catch(() => 0);
  };
  const ready = await timeUntil(async () => (await statusOf('health/readiness')) === 200, READY_WITHIN, 200);
  const made = await compose('exec', '-T', 'service', 'bash', '-c', CREATE_ADMIN).catch(String);
  const scraped = await statusOf('prometheus', readFileSync(secret('metrics-token'), 'utf8'));
  const service = await podman('ps', '--filter', `name=${project}_service`, '--format', '{{.Names}}');
  const isHealthy = await succeeds('podman', ['healthcheck', 'run', service], { env: ENGINE });
  await compose('stop', 'service');
  const code = await podman('inspect', '--format', '{{.State.ExitCode}}', service);
  await compose('down', '--volumes');
  const left = await podman('ps', '--all', '--filter', `name=${project}`, '--format', '{{.Names}}');
  return [
    criterion('compose.yaml comes up and is ready', Number.isFinite(ready), `after ${time(ready)}`),
    criterion('the first ADMIN is made in it', made.startsWith('Created user'), made.trim()),
    criterion('it is scraped with its METRICS_TOKEN', scraped === 200, String(scraped)),
    criterion('its health check asks for readiness, and passes', isHealthy, String(isHealthy)),
    criterion('it stops with 0', code === '0', code),
    none('container left after it goes down', left === '' ? [] : [left]),
  ];
}

await runCriteria({
  call: 'npm run test:container',
  about:
    'Builds the Dockerfile, examines the image, runs it with no rights in 512 MiB under the worst load of answers, and ' +
    'brings deploy/compose.yaml up and down. The base images are made from packages of Debian and npm. Needs root, ' +
    'Python 3.11, and buildah, podman, runc, netavark, aardvark-dns and mmdebstrap of Debian.',
  options: {},
  async run(_, cleanup, tell) {
    requirePrograms(['buildah', 'podman', 'runc', 'mmdebstrap'], 'Debian has them.');
    const bin = await pythonPrograms();
    progress('the base images');
    await makeBaseImages();
    const lint = (await run(join(bin, 'hadolint'), ['--no-fail', 'Dockerfile'])).trim();
    progress('building the image');
    const commit = (await run('git', ['rev-parse', 'HEAD'])).trim();
    await buildImage('.', IMAGE, '--from', NODE_IMAGE, '--build-arg', `GIT_COMMIT=${commit}`);
    tell([none('complaint of hadolint', lint === '' ? [] : [lint]), ...(await contents())]);
    tell(await withRig(cleanup, confined));
    tell(await withRig(cleanup, (rig) => composed(join(bin, 'podman-compose'), rig)));
  },
});
