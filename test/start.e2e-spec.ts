import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectProblem } from './support/responses.js';
import { Lock } from './support/locks.js';
import { cleanup } from './support/opened.js';
import { runBuilt, startProcess } from './support/process.js';
import { startService } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';
import { temporaryFolder } from './support/temporary-folder.js';

it.each([
  ['--help', 0, /^Usage: npm start\n[^]* Exit codes: 0 stopped, /],
  ['--port', 2, /^Unknown option '--port'\nUsage: npm start\n/],
])('npm start -- %s exits with %i and needs no settings', async (option, code, output) => {
  const started = runBuilt('main.js', {}, undefined, option);
  expect(await started.exited).toBe(code);
  expect(started.output).toMatch(output);
});

it('npm start reads .env after the environment, and exits with 1 and the faults of the settings', async () => {
  const folder = temporaryFolder(cleanup, 'start');
  writeFileSync(join(folder, '.env'), 'JWT_SECRET=\nPORT=x\nLOG_LEVEL=y\nDB_PASSWORD=p\n');
  const started = runBuilt('main.js', { LOG_LEVEL: 'info' }, folder);
  expect(await started.exited).toBe(1);
  expect(started.output.match(/- \w+/g)).toEqual(['- PORT', '- JWT_SECRET']);
  expect(started.output).not.toMatch(/\n\s+at |node:internal|listening/);
});

it('npm start logs what was started, listens at once, and answers 503 until the schema is up to date', async () => {
  const other = await startService();
  const lock = await Lock.take(other, 'LOCK TABLE migrations', []);
  const url = new URL(other.settings.database.url);
  const started = startProcess({ DB_URL: url.href, CORS_ALLOWED_ORIGINS: 'https://a.example' });
  const anonymous = await started.client();
  const readiness = async (): Promise<number> => (await anonymous.get('/actuator/health/readiness')).status;
  expect(await readiness()).toBe(503);
  await lock.waitedForBy(1);
  expectProblem(await signUp(anonymous, signUpRequest()), 'service-unavailable');
  const seen = [await readiness()];
  expect(seen).toEqual([503]);
  await lock.release();
  while (seen.at(-1) !== 200 && started.isRunning) seen.push(await readiness());
  expect((await anonymous.get('/api/users/me')).status).toBe(401);
  await started.says(/the service has started[^]*database is ready|database is ready[^]*has started/);
  const line = (text: string): unknown => started.lines.find(({ msg }) => msg === text);
  expect(line('the service has started')).toMatchObject({
    level: 'info',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
    node: process.version,
    url: anonymous.url,
    database: { host: url.searchParams.get('host'), port: 5432, name: url.pathname.slice(1) },
    migrations: 'applied at the start',
    apiDocs: false,
    cors: true,
    metricsToken: false,
  });
  expect(line('the database is ready')).toMatchObject({ migrations: [] });
  expect(started.output).not.toContain('\u001b');
});
