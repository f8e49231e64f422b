import { readdirSync } from 'node:fs';
import { Client } from './support/client.js';
import { rowsOf } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { createProperty, createTransaction } from './support/factories.js';
import { Build, type ServiceProcess } from './support/process.js';
import { authIn, signIn, signUp, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

/** Node's permission model: the process reads files; to write one, or to start a program, fails. */
const FLAG = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';
const NODE_OPTIONS = `${FLAG} --allow-fs-read=* --allow-addons`;

describe('a service that may write no file and start no program', () => {
  let build: Build;
  let url: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    [build, url] = [Build.make(), await createDatabase()];
    service = build.start({ NODE_OPTIONS, DB_URL: url, LOG_LEVEL: 'debug', HOME: '/nonexistent' });
  });

  it('serves accounts, the ledger, health and metrics, and exits with 0 on SIGTERM', async () => {
    const before = readdirSync(build.folder, { recursive: true }).length;
    const anonymous = await service.client();
    const account = signUpRequest();
    await until(async () => (await anonymous.get('/actuator/health/readiness')).status === 200);
    expect((await signUp(anonymous, account)).status).toBe(201);
    const ada = new Client(anonymous.url, authIn(await signIn(anonymous, account)).accessToken);
    await createTransaction(ada, (await createProperty(ada)).id);
    expect((await ada.post('/api/transactions/search', { searchTerm: 'nights' })).status).toBe(200);
    await rowsOf(url, `UPDATE users SET role = 'ADMIN'`);
    for (const path of ['/actuator/health', '/actuator/info', '/actuator/prometheus', '/api/users'])
      expect([path, (await ada.get(path)).status]).toEqual([path, 200]);
    service.signal('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(service.output).not.toContain('ERR_ACCESS_DENIED');
    expect(service.output).not.toMatch(/"level":"(error|fatal)"/);
    expect(readdirSync(build.folder, { recursive: true })).toHaveLength(before);
  });
});
