import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCriteria } from '../faults/support/command.js';
import { criterion, none } from '../faults/support/criteria.js';
import { run } from '../outside/support/commands.js';
import { startOwnService } from '../support/own-service.js';
import type { Service } from '../support/service.js';
import { signUp, signUpRequest } from '../support/sign-up.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const HTTPYAC = 'httpyac@6.16.7';
const BRUNO = '@usebruno/cli@4.1.0';
const HTTP_FILE = 'property-finance.http';

/** The variables of the examples. */
type Target = Readonly<Record<'baseUrl' | 'adminUsername' | 'adminPassword', string>>;

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
function runHttpyac(folder: string, target: Target): Promise<string> {
  const file = join(folder, HTTP_FILE);
  const text = Object.entries(target).reduce(
    (content, [name, value]) => content.replace(new RegExp(`^@${name} = .*$`, 'm'), `@${name} = ${value}`),
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, text);
  return run('npx', ['--yes', HTTPYAC, 'send', HTTP_FILE, '--all', '--output', 'none'], { cwd: folder });
}

function runBruno(folder: string, target: Target): Promise<string> {
  const variables = Object.entries(target).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const args = ['--yes', BRUNO, 'run', '-r', '--env', 'local', ...variables];
  return run('npx', args, { cwd: join(folder, 'bruno') });
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
    // Each ends with 0 when every response has the status that its request expects.
    for (const [tool, send] of Object.entries({ [HTTPYAC]: runHttpyac, [BRUNO]: runBruno })) {
      const faults = await send(folder, target).then(() => [], String);
      const left = await leftIn(service);
      tell([
        none(`fault of ${tool}`, [faults].flat()),
        criterion(`${tool} leaves no row`, left === 0, `${left} rows`),
      ]);
    }
  },
});
