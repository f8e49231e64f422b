import { readdirSync } from 'node:fs';
import { rowsOf } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { createProperty, createTransaction } from './support/factories.js';
import { cleanup } from './support/opened.js';
import { startProcess } from './support/process.js';
import { signedIn, signUp, signUpRequest } from './support/sign-up.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { until } from './support/until.js';

/** Node's permission model: the process reads files; to write one, or to start a program, fails. */
const FLAG = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';
const NODE_OPTIONS = `${FLAG} --allow-fs-read=* --allow-addons`;

it('a service that may write no file and start no program serves all, and exits with 0 on SIGTERM', async () => {
  const [folder, url] = [temporaryFolder(cleanup, 'read-only'), await createDatabase()];
  const env = { NODE_OPTIONS, DB_URL: url, LOG_LEVEL: 'debug', HOME: '/nonexistent' };
  const service = startProcess(env, folder);
  const anonymous = await service.client();
  await until(async () => (await anonymous.get('/actuator/health/readiness')).status === 200);
  const account = signUpRequest();
  await signUp(anonymous, account);
  const ada = await signedIn(anonymous, account);
  await createTransaction(ada, (await createProperty(ada)).id);
  await rowsOf(url, `UPDATE users SET role = 'ADMIN'`);
  for (const path of ['/actuator/health', '/actuator/info', '/actuator/prometheus', '/api/transactions'])
    expect([path, (await ada.get(path)).status]).toEqual([path, 200]);
  service.signal('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(service.output).not.toMatch(/ERR_ACCESS_DENIED|"level":"(error|fatal)"/);
  expect(readdirSync(folder)).toEqual([]);
});
