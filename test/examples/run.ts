import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { Missing, print, runCommand } from '../../bench/command.js';
import { readHttpFile } from '../support/examples/http-file.js';
import { startOwnService } from '../support/own-service.js';
import type { Service } from '../support/service.js';
import { signUp, signUpRequest } from '../support/sign-up.js';

const HTTPYAC = 'httpyac@6.16.7';
const BRUNO = '@usebruno/cli@4.1.0';
const HTTP_FILE = 'property-finance.http';

interface Target {
  readonly baseUrl: string;
  readonly adminUsername: string;
  readonly adminPassword: string;
}

interface HttpyacReport {
  readonly requests: readonly {
    readonly name: string;
    readonly response?: { readonly statusCode: number };
    readonly testResults?: readonly { readonly message: string }[];
  }[];
}

async function fetchTool(tool: string): Promise<void> {
  print(`${tool}: `);
  if ((await npx([tool, '--version'], '.')) !== 0)
    throw new Missing(`npx cannot run ${tool}. It comes from the npm registry; is that reachable?`);
}

/** The exit code of the tool, which writes to where this process does unless `output` is an open file. */
async function npx(
  args: readonly string[],
  cwd: string,
  output: number | 'inherit' = 'inherit',
): Promise<number> {
  const tool = spawn('npx', ['--yes', ...args], { cwd, stdio: ['ignore', output, 'inherit'] });
  const [code] = (await once(tool, 'close')) as [number | null];
  return code ?? 1;
}

/** The service, and an ADMIN to sign in as, as the quickstart has one. */
async function targetOf(service: Service): Promise<Target> {
  const admin = signUpRequest({ username: 'admin' });
  await signUp(service.anonymous, admin);
  await service.sql(`UPDATE users SET role = 'ADMIN'`);
  return { baseUrl: service.url, adminUsername: 'admin', adminPassword: admin.password };
}

/** True when every status is as the file says. The variables of a file win over those of a call, so they are put in. */
async function runHttpyac(folder: string, target: Target): Promise<boolean> {
  const file = join(folder, HTTP_FILE);
  const text = Object.entries(target).reduce(
    (content, [name, value]) =>
      content.replace(new RegExp(`^@${name} = .*$`, 'm'), `@${name} = ${String(value)}`),
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, text);
  const { requests } = await httpyacReport(folder);
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
async function httpyacReport(folder: string): Promise<HttpyacReport> {
  const report = join(folder, 'report.json');
  const args = [HTTPYAC, 'send', HTTP_FILE, '--all', '--json', '--output', 'short'];
  const code = await npx(args, folder, openSync(report, 'w'));
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as HttpyacReport;
  } catch (cause) {
    throw new Missing(`${HTTPYAC} ended with code ${code} and no report.`, { cause });
  }
}

/** True when Bruno says so, which looks at all assertions of the collection. */
async function runBruno(folder: string, target: Target): Promise<boolean> {
  print(`\nbruno, by ${BRUNO}\n`);
  const variables = Object.entries(target).flatMap(([name, value]) => [
    '--env-var',
    `${name}=${String(value)}`,
  ]);
  return (await npx([BRUNO, 'run', '-r', '--env', 'local', ...variables], join(folder, 'bruno'))) === 0;
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
    for (const tool of [HTTPYAC, BRUNO]) await fetchTool(tool);
    const target = await targetOf(await startOwnService(cleanup));
    const folder = copyOfExamples(cleanup);
    const results = [await runHttpyac(folder, target), await runBruno(folder, target)];
    return results.every(Boolean) ? 0 : 1;
  },
});

function copyOfExamples(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'property-finance-examples-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  cpSync('examples', folder, { recursive: true });
  return folder;
}
