import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { list } from '../../../bench/options.js';
import { runCriteria } from '../../faults/support/command.js';
import { none } from '../../faults/support/criteria.js';
import { createProperty } from '../../support/factories.js';
import { startOwnService } from '../../support/own-service.js';
import { cacheFolder, fromMaven, requirePrograms, run } from '../support/commands.js';
import { pythonPrograms } from '../support/python.js';

const DOCUMENT = resolve('openapi.json');
const MODULES = resolve('node_modules');
const CACHE = cacheFolder('generators');
const OPENAPI_GENERATOR = '7.25.0';
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0';
const TOURS = 'test/outside/generators/tours';
const CHECKED = '--strict --skipLibCheck --target es2023 --module nodenext --types node';
const GO_MODULE = ['--git-host', 'example.com', '--git-user-id', 'ledger', '--git-repo-id', 'client'];

/** Writes a client into the folder. */
type Generate = (folder: string, flags: readonly string[]) => Promise<unknown>;

/** Compiles the client in its folder, and starts the tour of a file with these arguments. */
interface Language {
  readonly file: string;
  readonly take: (cwd: string, args: readonly string[]) => Promise<unknown>;
}

const TYPESCRIPT: Language = {
  file: 'tour.ts',
  async take(cwd, args) {
    writeFileSync(join(cwd, 'package.json'), '{ "type": "commonjs" }');
    symlinkSync(MODULES, join(cwd, 'node_modules'));
    await run(join(MODULES, '.bin/tsc'), [...CHECKED.split(' '), 'tour.ts'], { cwd });
    await run('node', ['tour.js', ...args], { cwd });
  },
};
const PYTHON: Language = {
  file: 'tour.py',
  take: async (cwd, args) => run(join(await pythonPrograms(), 'python'), ['tour.py', ...args], { cwd }),
};
const GO: Language = {
  file: 'tour/main.go',
  async take(cwd, args) {
    for (const step of ['mod tidy', 'vet ./...']) await run('go', step.split(' '), { cwd });
    await run('go', ['run', './tour', ...args], { cwd });
  },
};
const JAVA: Language = {
  file: 'src/main/java/Tour.java',
  async take(cwd, args) {
    await run('mvn', ['-q', '-B', '-Dmaven.test.skip=true', 'package'], { cwd });
    await run('java', ['-cp', 'target/classes:target/lib/*', 'Tour', ...args], { cwd });
  },
};
const PHP: Language = {
  file: 'tour.php',
  take: (cwd, args) => run('php', ['tour.php', ...args], { cwd }),
};
const RUBY: Language = {
  file: 'tour.rb',
  take: (cwd, args) => run('ruby', ['-Ilib', 'tour.rb', ...args], { cwd }),
};
const RUST: Language = {
  file: 'examples/tour.rs',
  async take(cwd, args) {
    const env = { CARGO_TARGET_DIR: join(CACHE, 'rust') };
    await run('cargo', ['add', '-q', '--dev', 'tokio', '--features', 'macros,rt'], { cwd });
    await run('cargo', ['run', '-q', '--example', 'tour', '--', ...args], { cwd, env });
  },
};
const KOTLIN: Language = {
  file: 'src/main/kotlin/Tour.kt',
  async take(cwd, args) {
    cpSync(join(TOURS, 'kotlin-pom.xml'), join(cwd, 'pom.xml'));
    const libraries = ['dependency:copy-dependencies', '-DoutputDirectory=target/lib'];
    await run('mvn', ['-q', '-B', 'compile', ...libraries], { cwd });
    await run('java', ['-cp', 'target/classes:target/lib/*', 'TourKt', ...args], { cwd });
  },
};
/** A client of TypeScript that is compiled and takes no tour. */
const COMPILED: Language = {
  file: 'tsconfig.json',
  take: (cwd) => run(join(MODULES, '.bin/tsc'), ['-p', '.'], { cwd }),
};

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

/** Runs a generator of npm into `client`, beside the packages that its client needs. */
function ofNpm(packages: string, command: string): Generate {
  return async (folder, flags) => {
    const [program = '', ...args] = command.split(' ');
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const install = ['install', '--silent', '--no-audit', '--no-fund', ...packages.split(' ')];
    await run('npm', install, { cwd: folder });
    mkdirSync(join(folder, 'client'));
    await run(join(folder, 'node_modules/.bin', program), [...args, ...flags], { cwd: folder });
  };
}

const GENERATORS: Readonly<Record<string, readonly [generate: Generate, language: Language, tour: string]>> =
  {
    'openapi-python-client': [openapiPythonClient, PYTHON, 'openapi_python_client_tour.py'],
    'openapi-generator-typescript-fetch': [
      openapiGenerator('typescript-fetch'),
      TYPESCRIPT,
      'typescript-fetch-tour.ts.txt',
    ],
    'openapi-generator-python': [openapiGenerator('python'), PYTHON, 'openapi_generator_tour.py'],
    'openapi-generator-go': [openapiGenerator('go', ...GO_MODULE), GO, 'openapi-generator-tour.go'],
    'openapi-generator-java': [openapiGenerator('java'), JAVA, 'Tour.java'],
    'oapi-codegen': [oapiCodegen, GO, 'oapi-codegen-tour.go'],
    'openapi-generator-php': [openapiGenerator('php'), PHP, 'tour.php'],
    'openapi-generator-ruby': [openapiGenerator('ruby'), RUBY, 'tour.rb'],
    'openapi-generator-rust': [openapiGenerator('rust'), RUST, 'tour.rs'],
    'openapi-generator-kotlin': [openapiGenerator('kotlin'), KOTLIN, 'Tour.kt'],
    orval: [
      ofNpm('orval@8.38.0', `orval --input ${DOCUMENT} --output client/ledger.ts`),
      COMPILED,
      'compiled.json',
    ],
    '@hey-api/openapi-ts': [
      ofNpm('@hey-api/openapi-ts@0.99.0 typescript@5.9.3', `openapi-ts -i ${DOCUMENT} -o client`),
      COMPILED,
      'compiled.json',
    ],
    'openapi-zod-client': [
      ofNpm(
        'openapi-zod-client@1.18.3 @zodios/core@10.9.6 zod@3.25.76 axios@1.21.1',
        `openapi-zod-client ${DOCUMENT} -o client/ledger.ts`,
      ),
      COMPILED,
      'compiled.json',
    ],
  };
const NAMES = Object.keys(GENERATORS);

/** The flags that clients/README.md recommends. */
function flagsOf(name: string): string[] {
  const row = new RegExp(`^\\| ${name} .*$`, 'm').exec(readFileSync('clients/README.md', 'utf8'))?.[0];
  if (row === undefined) throw new Error(`clients/README.md has no row for ${name}`);
  return row.split('|')[2]!.replaceAll('`', ' ').split(' ').filter(Boolean);
}

async function takeTour(name: string, args: readonly string[]): Promise<void> {
  const [generate, { file, take }, tour] = GENERATORS[name]!;
  const folder = join(CACHE, 'work', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await generate(folder, flagsOf(name));
  cpSync(join(TOURS, tour), join(folder, file));
  await take(folder, args);
}

await runCriteria({
  call: 'npm run test:generators',
  about:
    'Has generators read openapi.json with the flags of clients/README.md, compiles their clients, and takes a tour with ' +
    'each: create a transaction, and read its exact amount and a refusal. Needs Python 3.11, Go, Java 11, Maven, PHP with ' +
    'mbstring and Guzzle, Ruby with Typhoeus, and Cargo; the generators come from PyPI, Maven Central, npm and Go’s proxy.',
  options: { only: list('NAME', 'these generators alone', NAMES) },
  example: '--only openapi-generator-go,oapi-codegen',
  async run({ only }, cleanup, tell) {
    const packages =
      'python3-venv, default-jre-headless, maven, php-cli, php-mbstring, php-guzzlehttp-guzzle, ruby-typhoeus';
    requirePrograms(['python3', 'go', 'java', 'mvn', 'php', 'ruby', 'cargo'], `On Debian: ${packages}`);
    const service = await startOwnService(cleanup);
    for (const name of only.length > 0 ? only : NAMES) {
      const owner = await service.account();
      const { id } = await createProperty(owner);
      const faults = await takeTour(name, [service.url, owner.token!, String(id)]).then(() => [], String);
      tell([none(`fault of ${name} and its tour`, [faults].flat())]);
    }
  },
});
