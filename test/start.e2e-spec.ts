import { expectProblem } from './support/answers.js';
import { createDatabase } from './support/database.js';
import { Lock } from './support/locks.js';
import type { LogLine } from './support/log-lines.js';
import { Build, type ServiceProcess } from './support/process.js';
import { startService } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';

describe('npm start', () => {
  let build: Build;

  beforeAll(() => void (build = Build.make()));

  const ended = async (...args: string[]): Promise<{ code: number | null; output: string }> => {
    const process_ = build.startBare({}, args);
    return { code: (await process_.exited).code, output: process_.output };
  };

  it('explains itself, needing no settings', async () => {
    const { code, output } = await ended('--help');
    expect(code).toBe(0);
    expect(output).toMatch(/^Usage: npm start\n[^]*\n\nExample: .*\n[^]*\n\nExit codes: 0 /);
  });

  it('refuses an option that it does not know, with 2 and where to read more', async () => {
    expect(await ended('--port')).toEqual({
      code: 2,
      output: `Unknown option '--port'\n"npm start -- --help" says more.\n`,
    });
  });

  it('says in one line of the log what was started, and in another that the database is ready', async () => {
    const url = new URL(await createDatabase());
    const process_ = build.start({ DB_URL: url.href, CORS_ALLOWED_ORIGINS: 'https://a.example' });
    const { port } = new URL((await process_.client()).url);
    await process_.says(
      /the service has started[^]*the database is ready|the database is ready[^]*has started/,
    );
    expect(line(process_, 'the service has started')).toMatchObject({
      level: 'info',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      node: process.version,
      url: `http://127.0.0.1:${port}`,
      database: { host: url.searchParams.get('host'), port: 5432, name: url.pathname.slice(1) },
      migrations: 'applied at the start',
      apiDocs: false,
      cors: true,
      metricsToken: false,
    });
    expect(line(process_, 'the database is ready')).toMatchObject({
      migrations: { applied: expect.any(Number) as number, justNow: 0 },
    });
    expect(process_.output).not.toContain('\u001b');
  });

  it('listens before the schema is looked at, and is not ready from the first moment until then', async () => {
    const other = await startService();
    const lock = await Lock.take(other, 'LOCK TABLE migrations', []);
    const process_ = build.start({ DB_URL: other.settings.database.url });
    const anonymous = await process_.client();
    const readiness = async (): Promise<number> => (await anonymous.get('/actuator/health/readiness')).status;
    expect(await readiness()).toBe(503);
    await lock.waitedForBy(1);
    expect(await readiness()).toBe(503);
    expectProblem(await signUp(anonymous, signUpRequest()), 503, 'service-unavailable');
    const seen = [503];
    await lock.release();
    while (seen.at(-1) !== 200 && process_.isRunning) seen.push(await readiness());
    expect((await anonymous.get('/api/users/me')).status).toBe(401);
    await process_.kill();
  });
});

function line(process_: ServiceProcess, msg: string): LogLine | undefined {
  return process_.lines.find((candidate) => candidate.msg === msg);
}
