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

/** A file, a module that it may not import, and one that it may. */
const IMPORTS: readonly (readonly [complaint: string, path: string, breach: string, kept: string])[] = [
  [LAYER, 'src/users/x.ts', '../app.module.js', './user.entity.js'],
  [LAYER, 'src/users/x.ts', '../auth/auth.service.js', '../access/role.js'],
  [LAYER, 'src/transactions/x.ts', '../users/users.service.js', '../properties/properties.dto.js'],
  [LAYER, 'src/http/x.ts', '../users/users.service.js', '../config/env.js'],
  [LAYER, 'migrations/x.ts', '../src/http/problem/problem.js', './all.js'],
  [PACKAGE, 'src/http/x.ts', 'typeorm/util.js', 'fastify'],
  [PACKAGE, 'src/users/users.service.ts', 'fastify', 'node:crypto'],
  [PACKAGE, 'src/app.module.ts', '@nestjs/passport', '@nestjs/core'],
  [PACKAGE, 'src/auth/auth.service.ts', 'bcrypt', 'node:crypto'],
];

/** A text that is refused in src/users/users.service.ts, and a similar one that is not. */
const TEXTS: readonly (readonly [complaint: string, breach: string, kept: string])[] = [
  [LAYER, `await import('../app.js');`, `await import('./user.entity.js');`],
  ['no-restricted-properties', `f(process.env);`, `settings.env; process.exit(1);`],
  ['no-restricted-imports', `import { env } from 'node:process';`, `import { pid } from 'node:process';`],
  ['no-restricted-syntax: Import types at', `let x: import('./y.js').Y;`, `let x: Y;`],
  ['no-restricted-syntax: Throw a ProblemError', `new NotFoundException();`, `new ProblemError();`],
  ['no-restricted-syntax: A cycle needs', `forwardRef(() => x);`, `forward(x);`],
  ['no-restricted-syntax: save() takes', `users.save(user);`, `users.update({ id, version }, x);`],
  [
    'no-restricted-syntax: A handler has',
    `class A { @A() @B() @C() @D() @E() x() {} }`,
    `class A { @A() x() {} }`,
  ],
  ['@typescript-eslint/no-explicit-any', `const x = y as any;`, `const any = 'any'; // any`],
  ['no-console', `console.log(1); // eslint-disable-line`, `logger.console.log(1);`],
  ['no-restricted-exports', `export default class A {}`, `export class A {}`],
  ['max-lines:', lines(251), lines(250)],
  ['max-lines-per-function', `function f() {\n${lines(39)}}`, `function f() {\n${lines(38)}}`],
];

const linter = new Linter({ configType: 'flat' });
const PARSED: Linter.Config = { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } };

/** Whether ESLint has this complaint about a text in that file. */
function isRefused(complaint: string, text: string, path = 'src/users/users.service.ts'): boolean {
  const found = linter.verify(text, [PARSED, ...ARCHITECTURE], { filename: posix.resolve(path) });
  return found.some(({ ruleId, message }) => `${ruleId}: ${message}`.startsWith(complaint));
}

// `npm run lint` shows that the project itself keeps these rules.
it.each(IMPORTS)(
  'the linter says %s in %s of an import of %s, and not of %s',
  (complaint, path, ...modules) => {
    const refused = modules.map((name) => isRefused(complaint, `import { x } from '${name}';`, path));
    expect(refused).toEqual([true, false]);
  },
);

it.each(TEXTS)('the linter says %s of %j, and not of %j', (complaint, ...texts) => {
  expect(texts.map((text) => isRefused(complaint, text))).toEqual([true, false]);
});

it.each([
  ['boundaries/no-unknown-files', 'src/other/x.ts', 'src/users/x.ts'],
  ['no-restricted-syntax: No barrels', 'src/users/index.ts', 'src/users/user-index.ts'],
])('the linter says %s of the file %s, and not of %s', (complaint, ...paths) => {
  expect(paths.map((path) => isRefused(complaint, '', path))).toEqual([true, false]);
});

it('the linter is given these rules, and nothing after them takes one away', () => {
  const all = configuration('eslint.config.mjs');
  const start = all.indexOf(ARCHITECTURE[0]!);
  expect(all.slice(start, start + ARCHITECTURE.length)).toEqual(ARCHITECTURE);
  const namesOf = (some: Linter.Config[]): string[] => some.flatMap(({ rules = {} }) => Object.keys(rules));
  const later = namesOf(all.slice(start + ARCHITECTURE.length));
  expect(namesOf(ARCHITECTURE).filter((name) => later.includes(name))).toEqual([]);
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
