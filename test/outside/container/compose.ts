import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../../../bench/launch.js';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { time } from '../../faults/support/figures.js';
import type { Rig } from '../../faults/support/rig.js';
import { send } from '../../support/http.js';
import { timeUntil } from '../../support/until.js';
import type { Engine } from './engine.js';

const READY_WITHIN = 120_000;
const CREATE_ADMIN =
  'echo a-password-of-mine | ' +
  'node scripts/cli.mjs user create --username root --email root@example.com --admin --password-stdin';

/** Brings deploy/compose.yaml up, as it is but for its port, and takes it down again. */
export async function runCompose(engine: Engine, podmanCompose: string, rig: Rig): Promise<Criterion[]> {
  const folder = join(rig.folder, 'deploy');
  const project = basename(rig.folder).toLowerCase();
  mkdirSync(join(folder, 'secrets'), { recursive: true });
  const secret = (name: string): string => join(folder, 'secrets', name);
  for (const name of ['jwt', 'db-password', 'metrics-token'])
    writeFileSync(secret(name), randomBytes(48).toString('base64'));
  const port = await freePort();
  const text = readFileSync('deploy/compose.yaml', 'utf8');
  writeFileSync(join(folder, 'compose.yaml'), text.replace('127.0.0.1:8080:', `127.0.0.1:${port}:`));
  const compose = (...args: string[]): Promise<string> =>
    engine.run(podmanCompose, ['--project-name', project, ...args], folder);
  rig.defer(async () => {
    await compose('down', '--volumes');
  });
  await compose('up', '--detach', '--no-build');
  const url = `http://127.0.0.1:${port}`;
  const ready = await timeUntil(() => isReady(url), READY_WITHIN, 200);
  const made = await compose('exec', '-T', 'service', 'bash', '-c', CREATE_ADMIN).catch(String);
  const authorization = `Bearer ${readFileSync(secret('metrics-token'), 'utf8')}`;
  const scrape = { method: 'GET', path: '/actuator/prometheus', headers: { authorization } };
  const { status } = await send(url, scrape);
  const service = await engine.podman('ps', '--filter', `name=${project}_service`, '--format', '{{.Names}}');
  const isHealthy = await engine.succeeds('podman', 'healthcheck', 'run', service);
  await compose('stop', 'service');
  const code = await engine.podman('inspect', '--format', '{{.State.ExitCode}}', service);
  await compose('down', '--volumes');
  const left = await engine.podman('ps', '--all', '--filter', `name=${project}`, '--format', '{{.Names}}');
  return [
    criterion('compose.yaml comes up and is ready', Number.isFinite(ready), `after ${time(ready)}`),
    criterion('the first ADMIN is made in it', made.startsWith('Created user'), made),
    criterion('it is scraped with its METRICS_TOKEN', status === 200, String(status)),
    criterion('its health check asks for readiness, and passes', isHealthy, String(isHealthy)),
    criterion('it stops with 0', code === '0', code),
    criterion('and goes down with all that it made', left === '', left || 'nothing is left'),
  ];
}

async function isReady(url: string): Promise<boolean> {
  const request = { method: 'GET', path: '/actuator/health/readiness' };
  return send(url, request, { patience: 2000 }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
