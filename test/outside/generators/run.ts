import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { progress } from '../../../bench/command.js';
import { list, UsageError } from '../../../bench/options.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { startOwnService } from '../../support/own-service.js';
import { cacheFolder, fromMaven, requirePrograms, run } from '../support/commands.js';
import { pythonPrograms } from '../support/python.js';

const TOURS = resolve('test/outside/generators/tours');
const DOCUMENT = resolve('openapi.json');
const MODULES = resolve('node_modules');
const CACHE = cacheFolder('generators');
const OPENAPI_GENERATOR = '7.25.0';
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0';
const CHECKED = '--strict --skipLibCheck --target es2023 --module nodenext --types node';

/** The folder of one client, and the arguments of its tour: the URL of the service and a new username. */
interface Workspace {
  readonly folder: string;
  readonly visitor: readonly [url: string, username: string];
}

type Generate = (folder: string, flags: readonly string[]) => Promise<unknown>;
/** Compiles the client and takes the tour in this file. */
type Take = (workspace: Workspace, tour: string) => Promise<unknown>;

async function typescript({ folder: cwd, visitor }: Workspace, tour: string): Promise<void> {
  cpSync(tour, join(cwd, 'tour.ts'));
  writeFileSync(join(cwd, 'package.json'), '{ "type": "commonjs" }');
  symlinkSync(MODULES, join(cwd, 'node_modules'));
  await run(join(MODULES, '.bin/tsc'), [...CHECKED.split(' '), 'tour.ts'], { cwd });
  await run('node', ['tour.js', ...visitor], { cwd });
}

async function python({ folder: cwd, visitor }: Workspace, tour: string): Promise<void> {
  cpSync(tour, join(cwd, 'tour.py'));
  await run(join(await pythonPrograms(), 'python'), ['tour.py', ...visitor], { cwd });
}

async function go({ folder: cwd, visitor }: Workspace, tour: string): Promise<void> {
  cpSync(tour, join(cwd, 'tour/main.go'));
  for (const args of ['mod tidy', 'vet ./...']) await run('go', args.split(' '), { cwd });
  await run('go', ['run', './tour', ...visitor], { cwd });
}

async function java({ folder: cwd, visitor }: Workspace, tour: string): Promise<void> {
  cpSync(tour, join(cwd, 'src/main/java/Tour.java'));
  await run('mvn', ['-q', '-B', '-Dmaven.test.skip=true', 'package'], { cwd });
  await run('java', ['-cp', 'target/classes:target/lib/*', 'Tour', ...visitor], { cwd });
}

function openapiGenerator(language: string, ...further: string[]): Generate {
  return async (folder, flags) => {
    await fromMaven(`org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`, CACHE);
    const jar = join(CACHE, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
    const target = ['-i', DOCUMENT, '-g', language, '-o', folder];
    await run('java', ['-jar', jar, 'generate', ...target, ...flags, ...further]);
  };
}

async function openapiPythonClient(folder: string, flags: readonly string[]): Promise<void> {
  const bin = await pythonPrograms();
  const target = ['--path', DOCUMENT, '--output-path', join(folder, 'ledger_client')];
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` }; // where it finds Ruff
  await run(join(bin, 'openapi-python-client'), ['generate', ...target, ...flags], { env });
}

async function oapiCodegen(folder: string, flags: readonly string[]): Promise<void> {
  mkdirSync(join(folder, 'ledger'));
  await run('go', ['run', OAPI_CODEGEN, ...flags, '-o', join(folder, 'ledger/ledger.gen.go'), DOCUMENT]);
  await run('go', ['mod', 'init', 'example.com/ledger/client'], { cwd: folder });
}

const GO_MODULE = ['--git-host', 'example.com', '--git-user-id', 'ledger', '--git-repo-id', 'client'];

const GENERATORS: Readonly<Record<string, readonly [generate: Generate, take: Take, tour: string]>> = {
  'openapi-python-client': [openapiPythonClient, python, 'openapi_python_client_tour.py'],
  'openapi-generator-typescript-fetch': [
    openapiGenerator('typescript-fetch'),
    typescript,
    'typescript-fetch-tour.ts.txt',
  ],
  'openapi-generator-python': [openapiGenerator('python'), python, 'openapi_generator_tour.py'],
  'openapi-generator-go': [openapiGenerator('go', ...GO_MODULE), go, 'openapi-generator-tour.go'],
  'openapi-generator-java': [openapiGenerator('java'), java, 'Tour.java'],
  'oapi-codegen': [oapiCodegen, go, 'oapi-codegen-tour.go'],
};
const NAMES = Object.keys(GENERATORS);

/** The flags that clients/README.md recommends. */
function flagsOf(name: string): string[] {
  const row = new RegExp(`^\\| ${name} .*$`, 'm').exec(readFileSync('clients/README.md', 'utf8'))?.[0];
  if (row === undefined) throw new Error(`clients/README.md has no row for ${name}`);
  return row.split('|')[2]!.replaceAll('`', ' ').split(' ').filter(Boolean);
}

async function faultOf(name: string, url: string): Promise<string> {
  const [generate, take, tour] = GENERATORS[name]!;
  const folder = join(CACHE, 'work', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await generate(folder, flagsOf(name));
    await take({ folder, visitor: [url, name] }, join(TOURS, tour));
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

await runCriteria({
  call: 'npm run test:generators',
  about:
    'Has generators read openapi.json with the flags of clients/README.md, compiles their clients, and takes a tour with ' +
    'each: sign up, sign in, create a property and a transaction, list, import, export, and read a refusal. Needs ' +
    'Python 3.11, Go, Java 11 and Maven; the generators come from PyPI, Maven Central and the Go module proxy.',
  options: { only: list('NAME', `these (${NAMES.join(', ')})`) },
  example: '--only openapi-generator-go,oapi-codegen',
  async run({ only }, cleanup, tell) {
    if (only.some((name) => !NAMES.includes(name))) throw new UsageError(`--only knows ${NAMES.join(', ')}`);
    requirePrograms(['python3', 'go', 'java', 'mvn'], 'On Debian: python3-venv, default-jre-headless, maven');
    const { url } = await startOwnService(cleanup);
    for (const name of only.length > 0 ? only : NAMES) {
      progress(name);
      const fault = await faultOf(name, url);
      tell([criterion(`${name} compiles and takes the tour`, fault === '', fault || 'it does')]);
    }
  },
});
