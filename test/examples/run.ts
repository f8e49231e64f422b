import { cpSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { Missing, print, runCommand } from '../../bench/command.js';
import { readHttpFile } from '../support/examples/http-file.js';
import { startOwnService } from '../support/own-service.js';
import { Program } from '../support/program.js';
import type { Service } from '../support/service.js';
import { signUp, signUpRequest } from '../support/sign-up.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const HTTPYAC = 'httpyac@6.16.7';
const BRUNO = '@usebruno/cli@4.1.0';
const HTTP_FILE = 'property-finance.http';

/** The variables of the examples. */
type Target = Readonly<Record<'baseUrl' | 'adminUsername' | 'adminPassword', string>>;

interface HttpyacReport {
  readonly requests: readonly {
    readonly name: string;
    readonly response?: { readonly statusCode: number };
    readonly testResults?: readonly { readonly message: string }[];
  }[];
}

async function fetchTool(cleanup: Cleanup, tool: string): Promise<void> {
  print(`${tool}: `);
  if (!(await npx(cleanup, [tool, '--version'], '.')))
    throw new Missing(`npx cannot run ${tool}. It comes from the npm registry; is that reachable?`);
}

/** Whether the tool ends with 0. It writes to where this process does unless `output` is an open file. */
async function npx(
  cleanup: Cleanup,
  args: readonly string[],
  cwd: string,
  output: number | 'inherit' = 'inherit',
): Promise<boolean> {
  const options = { cwd, stdio: ['ignore', output, 'inherit'] } as const;
  const tool = new Program(cleanup, ['npx', '--yes', ...args], { ...options, stdio: [...options.stdio] });
  return (await tool.exited) === 0;
}

/** The service, and an ADMIN to sign in as, as the quickstart has one. */
async function targetOf(service: Service): Promise<Target> {
  const admin = signUpRequest({ username: 'admin' });
  await signUp(service.anonymous, admin);
  await service.sql(`UPDATE users SET role = 'ADMIN'`);
  return { baseUrl: service.url, adminUsername: 'admin', adminPassword: admin.password };
}

/** True when every status is as the file says. The variables of a file win over those of a call, so they are put in. */
async function runHttpyac(cleanup: Cleanup, folder: string, target: Target): Promise<boolean> {
  const file = join(folder, HTTP_FILE);
  const text = Object.entries(target).reduce(
    (content, [name, value]) => content.replace(new RegExp(`^@${name} = .*$`, 'm'), `@${name} = ${value}`),
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, text);
  const { requests } = await httpyacReport(cleanup, folder);
  const expected = readHttpFile(text).requests;
  print(`\n${HTTP_FILE}, by ${HTTPYAC}\n`);
  const misses = expected.filter(({ name, expected: status }, index) => {
    const request = requests[index];
    const isMet = request?.name === name && request.response?.statusCode === status;
    const note = isMet ? '' : `, expected ${status}${noteOf(request)}`;
    print(`  ${isMet ? '✓' : '✗'} ${name} ${request?.response?.statusCode ?? 'no answer'}${note}\n`);
    return !isMet;
  });
  print(`${expected.length} requests, ${misses.length} not as the file says\n`);
  return misses.length === 0 && requests.length === expected.length;
}

function noteOf(request: HttpyacReport['requests'][number] | undefined): string {
  const messages = (request?.testResults ?? []).map(({ message }) => message);
  return messages.length === 0 ? '' : ` (${messages.join('; ')})`;
}

/** By way of a file: httpyac ends before a pipe has taken a long report. */
async function httpyacReport(cleanup: Cleanup, folder: string): Promise<HttpyacReport> {
  const report = join(folder, 'report.json');
  const args = [HTTPYAC, 'send', HTTP_FILE, '--all', '--json', '--output', 'short'];
  await npx(cleanup, args, folder, openSync(report, 'w'));
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as HttpyacReport;
  } catch (cause) {
    throw new Missing(`${HTTPYAC} has ended without a report.`, { cause });
  }
}

/** True when Bruno says so, which looks at all assertions of the collection. */
async function runBruno(cleanup: Cleanup, folder: string, target: Target): Promise<boolean> {
  print(`\nbruno, by ${BRUNO}\n`);
  const variables = Object.entries(target).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  return npx(cleanup, [BRUNO, 'run', '-r', '--env', 'local', ...variables], join(folder, 'bruno'));
}

await runCommand({
  call: 'npm run test:examples',
  about:
    'Runs examples/property-finance.http with httpyac and examples/bruno with Bruno, both fetched by npx in the ' +
    'versions that the examples name, against a service with a PostgreSQL of its own.',
  options: {},
  success: 'all requests were answered as the files say',
  failure: 'some were not, or a tool could not be fetched',
  async run(_, cleanup) {
    for (const tool of [HTTPYAC, BRUNO]) await fetchTool(cleanup, tool);
    const target = await targetOf(await startOwnService(cleanup));
    const folder = temporaryFolder(cleanup, 'examples');
    cpSync('examples', folder, { recursive: true });
    const results = [await runHttpyac(cleanup, folder, target), await runBruno(cleanup, folder, target)];
    return results.every(Boolean) ? 0 : 1;
  },
});
