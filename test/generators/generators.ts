import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Commands, Need } from '../support/commands.js';

const TOURS = resolve('test/generators/tours');
const DOCUMENT = resolve('openapi.json');
const MODULES = resolve('node_modules');

export interface Workspace {
  readonly commands: Commands;
  /** What is installed; kept from run to run. */
  readonly cache: string;
  /** Empty, for this generator alone. */
  readonly folder: string;
  /** What a tour is called with: the URL of the service and a name that nobody has yet. */
  readonly visitor: readonly [url: string, username: string];
}

export interface Generator {
  readonly name: string;
  /** What has to be on the machine, and how it is asked for its version. */
  readonly needs: readonly Need[];
  /** Installs, generates, compiles and takes the tour. Returns what the generator has said. */
  readonly run: (workspace: Workspace) => Promise<string>;
}

const JAR = 'openapi-generator-cli-7.14.0.jar';
const PYTHON_PACKAGES = [
  ...['openapi-python-client==0.29.1', 'pydantic==2.14.3', 'urllib3==2.8.0'],
  ...['python-dateutil==2.9.0.post0', 'typing-extensions==4.16.0'],
];

async function python({ commands, cache }: Workspace): Promise<{ bin: string; env: Record<string, string> }> {
  const bin = join(cache, 'python/bin');
  await commands.run('python3', ['-m', 'venv', join(cache, 'python')], { cwd: cache });
  const options = ['--quiet', '--disable-pip-version-check', '--no-input'];
  await commands.run(join(bin, 'pip'), ['install', ...options, ...PYTHON_PACKAGES], { cwd: cache });
  return { bin, env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } };
}

async function openapiGenerator(
  workspace: Workspace,
  language: string,
  ...options: string[]
): Promise<string> {
  const { commands, cache, folder } = workspace;
  await commands.fromMaven('org.openapitools:openapi-generator-cli:7.14.0', cache);
  const args = ['generate', '-i', DOCUMENT, '-g', language, '-o', folder, ...options];
  return commands.run('java', ['-jar', join(cache, JAR), ...args], { cwd: folder });
}

function goEnvironment(cache: string): Record<string, string> {
  return {
    GOPATH: join(cache, 'go'),
    GOCACHE: join(cache, 'go-build'),
    GOBIN: join(cache, 'go/bin'),
    GOFLAGS: '-modcacherw',
  };
}

async function goTour({ commands, cache, folder, visitor }: Workspace, source: string): Promise<void> {
  const where = { cwd: folder, env: goEnvironment(cache) };
  await mkdir(join(folder, 'tour'));
  await cp(join(TOURS, source), join(folder, 'tour/main.go'));
  await commands.run('go', ['mod', 'tidy'], where);
  await commands.run('go', ['vet', './...'], where);
  await commands.run('go', ['run', './tour', ...visitor], where);
}

async function openapiPythonClient(workspace: Workspace): Promise<string> {
  const { commands, folder, visitor } = workspace;
  const { bin, env } = await python(workspace);
  const where = { cwd: folder, env };
  const target = ['--meta', 'none', '--output-path', join(folder, 'ledger_client')];
  const told = await commands.run(
    join(bin, 'openapi-python-client'),
    ['generate', '--path', DOCUMENT, ...target],
    where,
  );
  await cp(join(TOURS, 'openapi_python_client_tour.py'), join(folder, 'tour.py'));
  await commands.run(join(bin, 'python'), ['tour.py', ...visitor], where);
  return told;
}

/** Without the lookup a problem would match more than one schema: the code does not look at `enum`. */
const BY_DISCRIMINATOR = ['--additional-properties', 'useOneOfDiscriminatorLookup=true'];

async function openapiGeneratorPython(workspace: Workspace): Promise<string> {
  const { commands, folder, visitor } = workspace;
  const { bin, env } = await python(workspace);
  const told = await openapiGenerator(workspace, 'python', ...BY_DISCRIMINATOR);
  await cp(join(TOURS, 'openapi_generator_tour.py'), join(folder, 'tour.py'));
  await commands.run(join(bin, 'python'), ['tour.py', ...visitor], { cwd: folder, env });
  return told;
}

async function openapiGeneratorGo(workspace: Workspace): Promise<string> {
  const module = ['--git-host', 'example.com', '--git-user-id', 'ledger', '--git-repo-id', 'client'];
  const noTests = ['--global-property', 'models,apis,supportingFiles,modelTests=false,apiTests=false'];
  const told = await openapiGenerator(workspace, 'go', ...module, ...noTests, ...BY_DISCRIMINATOR);
  await goTour(workspace, 'openapi-generator-tour.go');
  return told;
}

async function openapiGeneratorJava(workspace: Workspace): Promise<string> {
  const { commands, folder, visitor } = workspace;
  const told = await openapiGenerator(workspace, 'java', '--library', 'native');
  await cp(join(TOURS, 'Tour.java'), join(folder, 'src/main/java/Tour.java'));
  const where = { cwd: folder };
  await commands.run('mvn', ['-q', '-B', '-Dmaven.test.skip=true', 'package'], where);
  await commands.run('java', ['-cp', 'target/classes:target/lib/*', 'Tour', ...visitor], where);
  return told;
}

async function oapiCodegen(workspace: Workspace): Promise<string> {
  const { commands, cache, folder } = workspace;
  const where = { cwd: folder, env: goEnvironment(cache) };
  const command = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0';
  await commands.run('go', ['install', command], where);
  await mkdir(join(folder, 'ledger'));
  const options = ['-package', 'ledger', '-generate', 'types,client', '-o', 'ledger/ledger.gen.go'];
  const told = await commands.run(join(cache, 'go/bin/oapi-codegen'), [...options, DOCUMENT], where);
  await commands.run('go', ['mod', 'init', 'example.com/ledger/client'], where);
  await goTour(workspace, 'oapi-codegen-tour.go');
  return told;
}

async function openapiTypescript({ commands, folder, visitor }: Workspace): Promise<string> {
  const where = { cwd: folder };
  const bin = (name: string): string => join(MODULES, '.bin', name);
  const optional = '--default-non-nullable=false'; // what has a default may be left out
  const told = await commands.run(bin('openapi-typescript'), [DOCUMENT, '-o', 'schema.ts', optional], where);
  await cp(join(TOURS, 'openapi-typescript-tour.ts.txt'), join(folder, 'tour.ts'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await commands.run('ln', ['-s', MODULES, 'node_modules'], where);
  const target = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  const strict = ['--strict', '--skipLibCheck', ...target];
  await commands.run(bin('tsc'), [...strict, 'tour.ts'], where);
  await commands.run('node', ['tour.js', ...visitor], where);
  return told;
}

const JAVA = [
  ['java', '-version'],
  ['mvn', '--version'],
] as const;
const PYTHON = ['python3', '-c', 'import venv, ensurepip'] as const;

export const GENERATORS: readonly Generator[] = [
  { name: 'openapi-typescript', needs: [], run: openapiTypescript },
  { name: 'openapi-python-client', needs: [PYTHON], run: openapiPythonClient },
  { name: 'openapi-generator-python', needs: [...JAVA, PYTHON], run: openapiGeneratorPython },
  { name: 'openapi-generator-go', needs: [...JAVA, ['go', 'version']], run: openapiGeneratorGo },
  { name: 'openapi-generator-java', needs: JAVA, run: openapiGeneratorJava },
  { name: 'oapi-codegen', needs: [['go', 'version']], run: oapiCodegen },
];
