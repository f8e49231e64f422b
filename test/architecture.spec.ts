import { posix } from 'node:path';
import { Linter } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { type Source, sources } from './support/sources.js';

const configuration = (name: string): Linter.Config[] =>
  jest.requireActual<{ default: Linter.Config[] }>(`../${name}`).default;

const ARCHITECTURE = configuration('eslint.architecture.mjs');

/** A breach, or what comes close to one: a text, and the file that it is in. */
type Planted = readonly [text: string, path?: string];

interface Checked {
  readonly name: string;
  /** What the complaint begins with: the rule, and its message where several complaints are of one rule. */
  readonly rule: string;
  readonly breaks: readonly Planted[];
  readonly keeps: readonly Planted[];
}

const lines = (count: number): string => 'x;\n'.repeat(count);

const RULES: readonly Checked[] = [
  {
    name: 'main → app → app.module → features → openapi, access, http, database, config',
    rule: 'boundaries/dependencies: There is no policy allowing dependencies',
    breaks: [
      [`import { AppModule } from '../app.module.js';`],
      [`import type { AppModule } from '../app.module.js';`],
      [`import { createApp } from './app.js';`, 'src/app.module.ts'],
      [`export { main } from '../main.js';`],
      [`import { AuthService } from '../auth/auth.service.js';`],
      [`import { x } from '../transactions/search.js';`, 'src/properties/properties.service.ts'],
      [`import { x } from '../users/users.service.js';`, 'src/transactions/x.ts'],
      [`import { x } from '../../auth/passwords.js';`, 'src/actuator/metrics/x.ts'],
      [`import { x } from '../users/users.service.js';`, 'src/http/x.ts'],
      [`import { x } from '../access/role.js';`, 'src/http/x.ts'],
      [`import { x } from '../database/database.js';`, 'src/access/x.ts'],
      [`import { x } from '../http/problem/problem.js';`, 'src/config/x.ts'],
      [`import { x } from '../src/http/problem/problem.js';`, 'migrations/x.ts'],
      [`await import('../app.js');`],
      [`import '../../test/support/client.js';`, 'src/users/x.ts'],
    ],
    keeps: [
      [`import { createApp } from './app.js';\nimport { x } from './config/env.js';`, 'src/main.ts'],
      [`import { x } from '../users/users.service.js';`, 'src/auth/x.ts'],
      [
        `import { x } from '../properties/property.entity.js';\nimport { y } from '../http/problem/problem.js';`,
        'src/transactions/x.ts',
      ],
      [`import { x } from '../auth/auth.service.js';`, 'src/cli/x.ts'],
      [`import { x } from '../../migrations/all.js';`, 'src/database/x.ts'],
      [`import { x } from './user.entity.js';\nimport fs from 'node:fs';\nimport pg from 'pg';`],
    ],
  },
  {
    name: 'types are imported at the head of a file, where the layers are checked',
    rule: 'no-restricted-syntax: Import types at',
    breaks: [[`let x: import('../app.js').App;`]],
    keeps: [[`import type { App } from '../app.js';\nlet x: App;`]],
  },
  {
    name: 'every file belongs to a layer',
    rule: 'boundaries/no-unknown-files',
    breaks: [['', 'src/other/x.ts']],
    keeps: [
      ['', 'src/users/x.ts'],
      ['', 'src/x.ts'],
      ['', 'migrations/x.ts'],
    ],
  },
  {
    name: 'packages are used in their rooms alone',
    rule: 'boundaries/dependencies: Dependencies with module source',
    breaks: [
      [`import { In } from 'typeorm';`, 'src/users/users.controller.ts'],
      [`import type { DataSource } from 'typeorm';`, 'src/app.ts'],
      [`import { x } from 'typeorm/util.js';`, 'src/http/fields/page.ts'],
      [`import { InjectRepository } from '@nestjs/typeorm';`, 'src/users/users.controller.ts'],
      [`import { InjectRepository } from '@nestjs/typeorm';`, 'src/users/user.entity.ts'],
      [`import type { FastifyRequest } from 'fastify';`, 'src/auth/bearer-authenticator.ts'],
      [`import cors from '@fastify/cors';`, 'src/main.ts'],
      [`import jwt from 'jsonwebtoken';`],
      [`import jwt from 'jsonwebtoken';`, 'src/access/access.module.ts'],
      [`import { JwtService } from '@nestjs/jwt';`],
      [`import bcrypt from 'bcrypt';`],
      [`import bcrypt from 'bcryptjs';`, 'src/auth/auth.service.ts'],
    ],
    keeps: [
      [`import { Repository } from 'typeorm';\nimport { InjectRepository } from '@nestjs/typeorm';`],
      [`import { Column } from 'typeorm';`, 'src/users/user.entity.ts'],
      [`import { TypeOrmModule } from '@nestjs/typeorm';`, 'src/users/users.module.ts'],
      [`import type { FastifyRequest } from 'fastify';`, 'src/access/caller.ts'],
      [`import jwt from 'jsonwebtoken';`, 'src/auth/tokens.ts'],
      [`import bcrypt from 'bcrypt';`, 'src/auth/passwords.ts'],
    ],
  },
  {
    name: 'process.env is read in config/env.ts alone',
    rule: 'no-restricted-properties',
    breaks: [[`const a = process.env['A'];`], [`f(process.env);`, 'src/main.ts']],
    keeps: [[`const a = process.env;`, 'src/config/env.ts'], [`settings.env; process.exit(1);`]],
  },
  {
    name: 'and is not imported elsewhere',
    rule: 'no-restricted-imports',
    breaks: [[`import { env } from 'node:process';`], [`import process from 'process';`]],
    keeps: [[`import { memoryUsage } from 'node:process';`]],
  },
  {
    name: 'nothing throws an exception of the framework',
    rule: 'no-restricted-syntax: Throw a ProblemError',
    breaks: [[`throw new NotFoundException();`], [`const e = new HttpException('x', 418);`]],
    keeps: [[`if (e instanceof HttpException) throw new ProblemError('not-found', 'x');`]],
  },
  {
    name: 'there are no barrels',
    rule: 'no-restricted-syntax: No barrels',
    breaks: [
      ['', 'src/users/index.ts'],
      ['', 'index.ts'],
    ],
    keeps: [['', 'src/users/user-index.ts']],
  },
  {
    name: 'there is no forwardRef',
    rule: 'no-restricted-syntax: A cycle needs',
    breaks: [[`import { forwardRef } from '@nestjs/common';`]],
    keeps: [[`const forward = ref;`]],
  },
  {
    name: 'there is no any',
    rule: '@typescript-eslint/no-explicit-any',
    breaks: [[`let x: any;`], [`const x = y as any;`], [`type A = Record<string, any[]>;`]],
    keeps: [[`const any = 'any'; // any`]],
  },
  {
    name: 'there is no console',
    rule: 'no-console',
    breaks: [[`console.log(1);`], [`console.log(1); // eslint-disable-line`]],
    keeps: [[`logger.console.log('console');`]],
  },
  {
    name: 'there are no default exports',
    rule: 'no-restricted-exports',
    breaks: [
      [`export default class A {}`],
      [`const a = 1; export { a as default };`],
      [`export { default } from 'pg';`],
    ],
    keeps: [[`import a from 'a'; switch (a) { default: b; } export class A {}`]],
  },
  {
    name: 'nothing is saved without regard to its version',
    rule: 'no-restricted-syntax: save() takes',
    breaks: [[`await this.users.save(user);`]],
    keeps: [[`await this.users.update({ id, version }, patch);`]],
  },
  {
    name: 'files have at most 250 lines',
    rule: 'max-lines:',
    breaks: [[lines(251)]],
    keeps: [[lines(250)]],
  },
  {
    name: 'functions have at most 40 lines',
    rule: 'max-lines-per-function',
    breaks: [[`function f() {\n${lines(39)}}`], [`class A {\nm() {\n${lines(39)}}\n}`]],
    keeps: [[`function f() {\n${lines(38)}}`], [`class A {\n${'m() {}\n'.repeat(50)}}`]],
  },
  {
    name: 'handlers have at most 4 decorators',
    rule: 'no-restricted-syntax: A handler has',
    breaks: [[`class A {\n@Get()\n@A()\n@B()\n@C()\n@D()\nread() {}\n}`]],
    keeps: [[`class A {\n@Get()\n@A()\n@B()\n@C()\nread() {}\n}`]],
  },
];

const linter = new Linter({ configType: 'flat' });
const PARSED: Linter.Config = {
  files: ['**/*.ts'],
  languageOptions: { parser: tseslint.parser },
};

/** What ESLint says of a text as if it were that file, each as `rule: message`. */
function complaintsOf([text, path = 'src/users/users.service.ts']: Planted): string[] {
  const found = linter.verify(text, [PARSED, ...ARCHITECTURE], { filename: posix.resolve(path) });
  return found.map(({ ruleId, message, fatal }) => `${fatal === true ? 'fatal' : ruleId}: ${message}`);
}

// That the project itself keeps these rules is what `npm run lint` says.
describe.each(RULES)('$name', ({ rule, breaks, keeps }) => {
  const isRefused = (planted: Planted): boolean =>
    complaintsOf(planted).some((complaint) => complaint.startsWith(rule));

  it('or the linter would tell', () => {
    expect(breaks.filter((planted) => !isRefused(planted))).toEqual([]);
    expect(keeps.filter((planted) => isRefused(planted))).toEqual([]);
    expect([...breaks, ...keeps].flatMap(complaintsOf).filter((it) => it.startsWith('fatal'))).toEqual([]);
  });
});

it('the linter is given these rules, and nothing after them takes one away', () => {
  const all = configuration('eslint.config.mjs');
  const start = all.indexOf(ARCHITECTURE[0]!);
  expect(all.slice(start, start + ARCHITECTURE.length)).toEqual(ARCHITECTURE);
  const names = ARCHITECTURE.flatMap(({ rules = {} }) => Object.keys(rules));
  const later = all.slice(start + ARCHITECTURE.length).flatMap(({ rules = {} }) => Object.keys(rules));
  expect(later.filter((name) => names.includes(name))).toEqual([]);
});

describe('no file imports itself by way of others, not even for a type', () => {
  it('in this project', () => {
    expect(cyclesIn(sources())).toEqual([]);
  });

  it('or it would be seen', () => {
    const planted = {
      a: `import './x/b.js';`,
      'x/b': `import type { C } from './c.js';`,
      'x/c': `export * from '../a.js';`,
    };
    const files = Object.entries(planted).map(([name, text]) => ({ path: `${name}.ts`, text }));
    expect(cyclesIn(files)).toEqual(['a.ts → x/b.ts → x/c.ts → a.ts']);
  });
});

/** ESLint's plugins leave imports of types out. */
function cyclesIn(files: readonly Source[]): string[] {
  const targets = new Map(files.map(({ path, text }) => [path, importsOf(path, text)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    else if (!done.has(path)) {
      for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    }
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

function importsOf(path: string, text: string): string[] {
  return ts
    .preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => posix.join(posix.dirname(path), fileName).replace(/\.js$/, '.ts'));
}
