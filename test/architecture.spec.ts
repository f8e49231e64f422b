import { posix } from 'node:path';
import { Linter } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { type Source, sources } from './support/sources.js';

const configuration = (name: string): Linter.Config[] =>
  jest.requireActual<{ default: Linter.Config[] }>(`../${name}`).default;

const ARCHITECTURE = configuration('eslint.architecture.mjs');
const LAYER = 'boundaries/dependencies: There is no policy allowing dependencies';
const PACKAGE = 'boundaries/dependencies: Dependencies with module source';
const lines = (count: number): string => 'x;\n'.repeat(count);

const linter = new Linter({ configType: 'flat' });
const PARSED: Linter.Config = { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } };

// `npm run lint` shows that the rules refuse nothing in the project itself.
it.each([
  [LAYER, 'src/users/x.ts', `import '../app.module.js';`],
  [LAYER, 'src/users/x.ts', `import '../auth/auth.service.js';`],
  [LAYER, 'src/users/x.ts', `await import('../app.js');`],
  [LAYER, 'src/transactions/x.ts', `import '../users/users.service.js';`],
  [LAYER, 'src/http/x.ts', `import '../users/users.service.js';`],
  [LAYER, 'src/database/x.ts', `import '../http/headers.js';`],
  [LAYER, 'src/database/x.ts', `import '../common/access/caller.js';`],
  [LAYER, 'src/database/x.ts', `import '../common/paging/page.js';`],
  [LAYER, 'src/database/x.ts', `import '../common/problems/problem.js';`],
  [LAYER, 'migrations/x.ts', `import '../src/common/problems/problem.js';`],
  [PACKAGE, 'src/http/x.ts', `import 'typeorm/util.js';`],
  [PACKAGE, 'src/users/x.ts', `import 'fastify';`],
  [PACKAGE, 'src/app.module.ts', `import '@nestjs/passport';`],
  [PACKAGE, 'src/auth/auth.service.ts', `import 'bcrypt';`],
  [PACKAGE, 'src/users/x.ts', `import 'class-validator';`],
  [PACKAGE, 'src/common/validation/x.ts', `import 'class-transformer';`],
  ['boundaries/no-unknown-files', 'src/other/x.ts', ''],
  ['no-restricted-syntax: No barrels', 'src/users/index.ts', 'x;'],
  ['no-restricted-properties', 'src/users/x.ts', `f(process.env);`],
  ['no-restricted-imports', 'src/users/x.ts', `import { env } from 'node:process';`],
  ['no-restricted-syntax: Import types at', 'src/users/x.ts', `let x: import('./y.js').Y;`],
  ['no-restricted-syntax: Throw a ProblemError', 'src/users/x.ts', `new NotFoundException();`],
  ['no-restricted-syntax: A cycle needs', 'src/users/x.ts', `forwardRef(() => x);`],
  ['no-restricted-syntax: save() takes', 'src/users/x.ts', `users.save(user);`],
  ['no-restricted-syntax: Reads are SQL', 'src/users/x.ts', `users.find({ where: { id } });`],
  ['no-restricted-syntax: Reads are SQL', 'src/users/x.ts', `users.findOneBy({ id });`],
  ['no-restricted-syntax: A controller declares', 'src/users/x.ts', `@Controller('x') class A {}`],
  ['no-restricted-syntax: A handler has', 'src/users/x.ts', `class A { @A() @B() @C() @D() @E() x() {} }`],
  ['@typescript-eslint/no-explicit-any', 'src/users/x.ts', `const x = y as any;`],
  ['no-console', 'src/users/x.ts', `console.log(1); // eslint-disable-line`],
  ['no-restricted-exports', 'src/users/x.ts', `export default class A {}`],
  ['max-lines:', 'src/users/x.ts', lines(251)],
  ['max-lines-per-function', 'src/users/x.ts', `function f() {\n${lines(39)}}`],
])('the linter says %s in %s of %j', (complaint, path, text) => {
  const found = linter.verify(text, [PARSED, ...ARCHITECTURE], { filename: posix.resolve(path) });
  const complaints = found.map(({ ruleId, message }) => `${ruleId}: ${message}`);
  expect(complaints).toContainEqual(expect.stringContaining(complaint));
});

it('the linter is given these rules, and nothing after them takes one away', () => {
  const all = configuration('eslint.config.mjs');
  const start = all.indexOf(ARCHITECTURE[0]!);
  expect(all.slice(start, start + ARCHITECTURE.length)).toEqual(ARCHITECTURE);
  const namesOf = (some: Linter.Config[]): string[] => some.flatMap(({ rules = {} }) => Object.keys(rules));
  const later = namesOf(all.slice(start + ARCHITECTURE.length));
  expect(namesOf(ARCHITECTURE).filter((name) => later.includes(name))).toEqual([]);
});

it('no name is exported by two files', () => {
  const exported = sources().flatMap(({ text }) =>
    Array.from(
      text.matchAll(/^export (?:abstract |async )*(?:const|function\*?|class|interface|type) (\w+)/gm),
      ([, name]) => name,
    ),
  );
  expect(exported.filter((name, index) => exported.indexOf(name) < index)).toEqual([]);
});

it('no file imports itself by way of others, not even for a type', () => {
  expect(filesInCycles(sources())).toEqual([]);
  const planted = [
    { path: 'a.ts', text: `import './x/b.js';` },
    { path: 'x/b.ts', text: `import type { A } from '../a.js';` },
    { path: 'c.ts', text: `import './d.js';` },
  ];
  expect(filesInCycles(planted)).toEqual(['a.ts', 'x/b.ts']);
});

/** The files that are left when those that import none of the others go, again and again. */
function filesInCycles(files: readonly Source[]): string[] {
  let left = new Map(files.map(({ path, text }) => [path, importsOf(path, text)]));
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    left = new Map([...left].filter(([, targets]) => targets.some((target) => left.has(target))));
  }
  return [...left.keys()];
}

/** ESLint's plugins leave imports of types out. */
function importsOf(path: string, text: string): string[] {
  return ts
    .preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => posix.join(posix.dirname(path), fileName).replace(/\.js$/, '.ts'));
}
