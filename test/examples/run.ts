import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { runCriteria } from '../faults/support/command.js';
import { criterion } from '../faults/support/criteria.js';
import { startOwnService } from '../support/own-service.js';
import { Program, type ProgramOptions } from '../support/program.js';
import type { Service } from '../support/service.js';
import { signUp, signUpRequest } from '../support/sign-up.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const HTTPYAC = 'httpyac@6.16.7';
const BRUNO = '@usebruno/cli@4.1.0';
const HTTP_FILE = 'property-finance.http';

/** The variables of the examples. */
type Target = Readonly<Record<'baseUrl' | 'adminUsername' | 'adminPassword', string>>;

/** Whether the tool ends with 0: both do when every response has the status that its request expects. */
async function npx(cleanup: Cleanup, args: readonly string[], cwd: string): Promise<boolean> {
  const options: ProgramOptions = { cwd, stdio: ['ignore', 'inherit', 'inherit'] };
  return (await new Program(cleanup, ['npx', '--yes', ...args], options).exited) === 0;
}

/** The rows left behind by the requests, but for the ADMIN. */
async function leftIn(service: Service): Promise<number> {
  const tables = ['properties', 'transactions', `users WHERE username <> 'admin'`];
  const rows = tables.map((table) => service.sql(`SELECT FROM ${table}`));
  return (await Promise.all(rows)).flat().length;
}

/** The service, and an ADMIN to sign in as, as the quickstart has one. */
async function targetOf(service: Service): Promise<Target> {
  const admin = signUpRequest({ username: 'admin' });
  await signUp(service.anonymous, admin);
  await service.sql(`UPDATE users SET role = 'ADMIN'`);
  return { baseUrl: service.url, adminUsername: 'admin', adminPassword: admin.password };
}

/** Variables of the file win over those of a call, so they are written into it. */
function runHttpyac(cleanup: Cleanup, folder: string, target: Target): Promise<boolean> {
  const file = join(folder, HTTP_FILE);
  const text = Object.entries(target).reduce(
    (content, [name, value]) => content.replace(new RegExp(`^@${name} = .*$`, 'm'), `@${name} = ${value}`),
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, text);
  return npx(cleanup, [HTTPYAC, 'send', HTTP_FILE, '--all', '--output', 'none'], folder);
}

function runBruno(cleanup: Cleanup, folder: string, target: Target): Promise<boolean> {
  const variables = Object.entries(target).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  return npx(cleanup, [BRUNO, 'run', '-r', '--env', 'local', ...variables], join(folder, 'bruno'));
}

await runCriteria({
  call: 'npm run test:examples',
  about:
    'Runs examples/property-finance.http with httpyac and examples/bruno with Bruno, both fetched by npx in the ' +
    'versions that the examples name, against a service with a PostgreSQL of its own.',
  async run(_, cleanup, tell) {
    const service = await startOwnService(cleanup);
    const target = await targetOf(service);
    const folder = temporaryFolder(cleanup, 'examples');
    cpSync('examples', folder, { recursive: true });
    for (const [tool, run] of Object.entries({ [HTTPYAC]: runHttpyac, [BRUNO]: runBruno })) {
      const isRight = await run(cleanup, folder, target);
      const left = await leftIn(service);
      tell([
        criterion(`${tool} gets the statuses that the files expect`, isRight, isRight ? 'all' : 'not all'),
        criterion(`${tool} leaves no row`, left === 0, `${left} rows`),
      ]);
    }
  },
});
