import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Commands, Need } from '../../support/commands.js';

const TOURS = resolve('test/outside/generators/tours');
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
  /** The options that the client needs, as clients/README.md has them. */
  readonly flags: string;
  /** What has to be on the machine, and how it is asked for its version. */
  readonly needs: readonly Need[];
  /** Installs, generates, compiles and takes the tour. Returns what the generator has said. */
  readonly run: (workspace: Workspace) => Promise<string>;
}

/** typescript-fetch of 7.14 leaves out the imports of a choice of problems; this one compiles. */
const OPENAPI_GENERATOR = '7.25.0';
const JAR = `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;
const AXIOS = 'axios@1.21.1';
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

async function openapiGenerator(workspace: Workspace, language: string, ...flags: string[]): Promise<string> {
  const { commands, cache, folder } = workspace;
  const options = flags.flatMap((flag) => flag.split(' '));
  await commands.fromMaven(`org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`, cache);
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
  const target = [...META.split(' '), '--output-path', join(folder, 'ledger_client')];
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
const BY_DISCRIMINATOR = '--additional-properties useOneOfDiscriminatorLookup=true';
const NO_TESTS = '--global-property models,apis,supportingFiles,modelTests=false,apiTests=false';
/** The default, float32, loses cents from 131,072.00 on. */
const DOUBLES = '--type-mappings number=float64';
const NATIVE = '--library native';
const META = '--meta none';
const CONFIGURATION = '-config clients/oapi-codegen.yaml';
/** A field with a default may be left out of a request. */
const DEFAULTS_OPTIONAL = '--default-non-nullable=false';

async function openapiGeneratorPython(workspace: Workspace): Promise<string> {
  const { commands, folder, visitor } = workspace;
  const { bin, env } = await python(workspace);
  const told = await openapiGenerator(workspace, 'python', BY_DISCRIMINATOR);
  await cp(join(TOURS, 'openapi_generator_tour.py'), join(folder, 'tour.py'));
  await commands.run(join(bin, 'python'), ['tour.py', ...visitor], { cwd: folder, env });
  return told;
}

async function openapiGeneratorGo(workspace: Workspace): Promise<string> {
  const module = '--git-host example.com --git-user-id ledger --git-repo-id client';
  const told = await openapiGenerator(workspace, 'go', module, NO_TESTS, DOUBLES, BY_DISCRIMINATOR);
  await goTour(workspace, 'openapi-generator-tour.go');
  return told;
}

async function openapiGeneratorJava(workspace: Workspace): Promise<string> {
  const { commands, folder, visitor } = workspace;
  const told = await openapiGenerator(workspace, 'java', NATIVE);
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
  const options = ['-config', resolve('clients/oapi-codegen.yaml'), '-o', 'ledger/ledger.gen.go'];
  const told = await commands.run(join(cache, 'go/bin/oapi-codegen'), [...options, DOCUMENT], where);
  await commands.run('go', ['mod', 'init', 'example.com/ledger/client'], where);
  await goTour(workspace, 'oapi-codegen-tour.go');
  return told;
}

async function openapiTypescript(workspace: Workspace): Promise<string> {
  const { commands, folder } = workspace;
  const command = join(MODULES, '.bin/openapi-typescript');
  const args = [DOCUMENT, '-o', 'schema.ts', DEFAULTS_OPTIONAL];
  const told = await commands.run(command, args, { cwd: folder });
  await typescriptTour(workspace, 'openapi-typescript-tour.ts.txt', { type: 'module' });
  return told;
}

async function openapiGeneratorFetch(workspace: Workspace): Promise<string> {
  const told = await openapiGenerator(workspace, 'typescript-fetch');
  await typescriptTour(workspace, 'typescript-fetch-tour.ts.txt', { type: 'commonjs' });
  return told;
}

async function openapiGeneratorAxios(workspace: Workspace): Promise<string> {
  const told = await openapiGenerator(workspace, 'typescript-axios');
  const { commands, cache, folder } = workspace;
  await commands.run('npm', ['install', '--silent', '--no-save', '--prefix', cache, AXIOS], { cwd: folder });
  await typescriptTour(workspace, 'typescript-axios-tour.ts.txt', { type: 'commonjs' });
  return told;
}

/** Compiled strictly, with everything that the generator wrote. */
async function typescriptTour(
  { commands, folder, visitor }: Workspace,
  source: string,
  manifest: { readonly type: 'module' | 'commonjs' },
): Promise<void> {
  const where = { cwd: folder };
  await cp(join(TOURS, source), join(folder, 'tour.ts'));
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await commands.run('ln', ['-s', MODULES, 'node_modules'], where);
  const target = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  await commands.run(join(MODULES, '.bin/tsc'), ['--strict', '--skipLibCheck', ...target, 'tour.ts'], where);
  await commands.run('node', ['tour.js', ...visitor], where);
}

const JAVA = [
  ['java', '-version'],
  ['mvn', '--version'],
] as const;
const PYTHON = ['python3', '-c', 'import venv, ensurepip'] as const;

const GO = ['go', 'version'] as const;

export const GENERATORS: readonly Generator[] = [
  { name: 'openapi-typescript', flags: DEFAULTS_OPTIONAL, needs: [], run: openapiTypescript },
  { name: 'openapi-python-client', flags: META, needs: [PYTHON], run: openapiPythonClient },
  { name: 'openapi-generator-typescript-fetch', flags: '', needs: JAVA, run: openapiGeneratorFetch },
  { name: 'openapi-generator-typescript-axios', flags: '', needs: JAVA, run: openapiGeneratorAxios },
  {
    name: 'openapi-generator-python',
    flags: BY_DISCRIMINATOR,
    needs: [...JAVA, PYTHON],
    run: openapiGeneratorPython,
  },
  {
    name: 'openapi-generator-go',
    flags: `${NO_TESTS} ${DOUBLES} ${BY_DISCRIMINATOR}`,
    needs: [...JAVA, GO],
    run: openapiGeneratorGo,
  },
  { name: 'openapi-generator-java', flags: NATIVE, needs: JAVA, run: openapiGeneratorJava },
  { name: 'oapi-codegen', flags: CONFIGURATION, needs: [GO], run: oapiCodegen },
];
