import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../../../bench/launch.js';
import type { Criterion } from '../../faults/protocol.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion, none } from '../../faults/support/criteria.js';
import { time } from '../../faults/support/figures.js';
import { Rig } from '../../faults/support/rig.js';
import { isAnswered } from '../../support/program.js';
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
const READY_WITHIN = 120_000;
const LIVENESS = ['bash', 'scripts/health.sh', 'liveness'];
const CREATE_ADMIN =
  'echo a-password-of-mine | ' +
  'node scripts/cli.mjs user create --username root --email root@example.com --admin --password-stdin';

async function contents(): Promise<Criterion[]> {
  const root = await podman('image', 'mount', IMAGE);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    lstatSync(join(root, path)).isFile(),
  );
  const setuid = files.filter((path) => (lstatSync(join(root, path)).mode & SETUID_OR_SETGID) !== 0);
  await podman('image', 'unmount', IMAGE);
  const paths = (pattern: RegExp): string[] => files.filter((path) => pattern.test(path));
  const megabytes = Number(await podman('image', 'inspect', '--format', '{{.Size}}', IMAGE)) / 1e6;
  const user = await podman('image', 'inspect', '--format', '{{.Config.User}}', IMAGE);
  const scripts = paths(/^app\/scripts\//).map((path) => path.replace('app/scripts/', ''));
  const bcrypt = paths(/bcrypt\/prebuilds\/.*\.node$/);
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
  const ready = await timeUntil(() => isAnswered(`${url}/actuator/health/readiness`), READY_WITHIN, 200);
  const made = await compose('exec', '-T', 'service', 'bash', '-c', CREATE_ADMIN).catch(String);
  const authorization = `Bearer ${readFileSync(secret('metrics-token'), 'utf8')}`;
  const { status: scraped } = await fetch(`${url}/actuator/prometheus`, { headers: { authorization } });
  const service = await podman('ps', '--filter', `name=${project}_service`, '--format', '{{.Names}}');
  const isHealthy = await succeeds('podman', ['healthcheck', 'run', service], { env: ENGINE });
  const liveAt = (host: string): Promise<boolean> =>
    succeeds('podman', ['exec', '--env', `HOST=${host}`, service, ...LIVENESS], { env: ENGINE });
  const live = [await liveAt('127.0.0.2'), await liveAt('192.0.2.1')].join();
  await compose('stop', 'service');
  const end = await podman('inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', service);
  await compose('down', '--volumes');
  const left = await podman('ps', '--all', '--filter', `name=${project}`, '--format', '{{.Names}}');
  return [
    criterion('compose.yaml comes up and is ready', Number.isFinite(ready), `after ${time(ready)}`),
    criterion('the first ADMIN is made in it', made.startsWith('Created user'), made.trim()),
    criterion('it is scraped with its METRICS_TOKEN', scraped === 200, String(scraped)),
    criterion('its health check asks for readiness, and passes', isHealthy, String(isHealthy)),
    criterion('that of the image asks HOST for liveness', live === 'true,false', live),
    criterion('it stops with 0', end === '0 false', end),
    none('container left after it goes down', left === '' ? [] : [left]),
  ];
}

await runCriteria({
  call: 'npm run test:container',
  about:
    'Builds the Dockerfile, examines the image, and brings deploy/compose.yaml up and down, in which it has no rights and ' +
    '512 MiB. The base images are made from packages of Debian and npm. Needs root, Python 3.11, and buildah, podman, ' +
    'runc, netavark, aardvark-dns, iptables and mmdebstrap of Debian.',
  async run(_, cleanup, tell) {
    requirePrograms(['buildah', 'podman', 'runc', 'iptables', 'mmdebstrap'], 'Debian has them.');
    const bin = await pythonPrograms();
    await makeBaseImages();
    const lint = (await run(join(bin, 'hadolint'), ['--no-fail', 'Dockerfile'])).trim();
    const commit = (await run('git', ['rev-parse', 'HEAD'])).trim();
    await buildImage('.', IMAGE, '--from', NODE_IMAGE, '--build-arg', `GIT_COMMIT=${commit}`);
    tell([none('complaint of hadolint', lint === '' ? [] : [lint]), ...(await contents())]);
    tell(await composed(join(bin, 'podman-compose'), new Rig(cleanup)));
  },
});
