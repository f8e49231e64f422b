import { KeyObject } from 'node:crypto';
import { accessOf } from '../src/access/access-rules.js';
import { Tokens } from '../src/auth/tokens.js';
import { VARIABLES } from '../src/config/env.js';
import {
  everyHandlerDeclaresAccess,
  handlersIn,
  handlersOfDecorators,
  publicRoutesIn,
} from './support/architecture/routes.js';
import {
  environmentIn,
  filesOfLines,
  functionsOfLines,
  type Layers,
  layersUse,
  noAny,
  noBarrel,
  noConsole,
  noCycles,
  noDefaultExport,
  noForwardRef,
  noFrameworkException,
  noSave,
  packageIn,
  type Rule,
} from './support/architecture/rules.js';
import { isProjectFile, readProjectFile, Source, sourcesIn } from './support/architecture/sources.js';

const BASE = ['access', 'http', 'openapi', 'database', 'config'];
const FEATURES = ['auth', 'users', 'properties', 'transactions', 'actuator', 'docs'];

const LAYERS: Layers = [
  [/^src\/(app|shutdown)\.ts$/, 'app'],
  [/^src\/app\.module\.ts$/, 'app.module'],
  // main, cli, quickstart and what they have to themselves: they start the application, from the outside.
  [/^src\/([\w-]+\.ts$|(cli|quickstart)\/)/, 'entry'],
  [/^migrations\//, 'migrations'],
  ...[...FEATURES, ...BASE].map((name) => [new RegExp(`^src/${name}/`), name] as const),
];

/** Downward only; each layer may also use itself. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  entry: ['app', 'app.module', ...FEATURES, ...BASE],
  app: ['app.module', ...FEATURES, ...BASE],
  'app.module': [...FEATURES, ...BASE],
  auth: ['users', ...BASE],
  transactions: ['properties', ...BASE],
  users: BASE,
  properties: BASE,
  actuator: BASE,
  docs: ['http', 'config'],
  openapi: ['access', 'http'],
  access: ['http', 'config'],
  database: ['access', 'http', 'config', 'migrations'],
  http: ['config'],
  config: [],
  migrations: [],
};

const PUBLIC_ROUTES = [
  'GET /actuator/health',
  'GET /actuator/health/liveness',
  'GET /actuator/health/readiness',
  'POST /api/auth/signin',
  'POST /api/auth/signup',
];

/** A file of one's own making, to see a rule fail. */
const file = (text: string, path = 'src/users/users.service.ts'): Source => new Source(path, text);
const lines = (count: number): string => 'x;\n'.repeat(count);
const handler = (decorators: string, onClass = ''): Source =>
  file(
    `@Controller('a')\n${onClass}\nclass A {\n${decorators}\nread() {}\n}`,
    'src/users/users.controller.ts',
  );

interface Checked {
  readonly name: string;
  readonly rule: Rule;
  /** What breaks the rule, each by itself. */
  readonly breaks: readonly (readonly Source[])[];
  /** What comes close and is allowed. */
  readonly keeps: readonly Source[];
}

const typeormIn = packageIn(
  /^typeorm(\/|$)/,
  /\.(entity|service|queries|writes)\.ts$|^src\/database\/|^migrations\//,
);
const nestTypeormIn = packageIn(/^@nestjs\/typeorm$/, /\.(service|module)\.ts$|^src\/database\//);
const fastifyIn = packageIn(/^(fastify|@fastify\/.*)$/, /^src\/(app\.ts|http\/|access\/|actuator\/|docs\/)/);
const jwtIn = packageIn(/^(jsonwebtoken|passport.*|@nestjs\/(passport|jwt))$/, /^src\/auth\//);
const bcryptIn = packageIn(/^bcrypt/, /^src\/auth\/passwords\.ts$/);

const RULES: readonly Checked[] = [
  {
    name: 'main → app → app.module → features → openapi, access, http, database, config',
    rule: layersUse(LAYERS, MAY_USE),
    breaks: [
      [file(`import { AppModule } from '../app.module.js';`)],
      [file(`import type { AppModule } from '../app.module.js';`)],
      [file(`import { createApp } from '../app.js';`, 'src/app.module.ts')],
      [file(`import { createApp } from './app.js';`, 'src/app.module.ts')],
      [file(`export { main } from '../main.js';`)],
      [file(`import { AuthService } from '../auth/auth.service.js';`)],
      [file(`import { x } from '../transactions/search.js';`, 'src/properties/properties.service.ts')],
      [file(`import { x } from '../users/users.service.js';`, 'src/transactions/x.ts')],
      [file(`import { x } from '../../auth/passwords.js';`, 'src/actuator/metrics/x.ts')],
      [file(`import { x } from '../users/users.service.js';`, 'src/http/x.ts')],
      [file(`import { x } from '../access/caller.js';`, 'src/http/x.ts')],
      [file(`import { x } from '../database/database.js';`, 'src/access/x.ts')],
      [file(`import { x } from '../http/problem/problem.js';`, 'src/config/x.ts')],
      [file(`import { x } from '../src/http/problem/problem.js';`, 'migrations/x.ts')],
      [file(`await import('../app.js');`)],
      [file(`let x: import('../app.js').App;`)],
      [file(`import '../../test/support/client.js';`, 'src/users/x.ts')],
      [file('', 'src/other/x.ts')],
    ],
    keeps: [
      file(`import { createApp } from './app.js';\nimport { x } from './config/env.js';`, 'src/main.ts'),
      file(`import { x } from '../users/users.service.js';`, 'src/auth/x.ts'),
      file(
        `import { x } from '../properties/x.js';\nimport { y } from '../http/y.js';`,
        'src/transactions/x.ts',
      ),
      file(`import { x } from '../auth/auth.service.js';`, 'src/cli/x.ts'),
      file(`import { x } from '../../migrations/all.js';`, 'src/database/x.ts'),
      file(`import { x } from './y.js';\nimport fs from 'node:fs';`),
    ],
  },
  {
    name: 'no file imports itself by way of others, not even for a type',
    rule: noCycles,
    breaks: [
      [file(`import './b.js';`, 'src/a.ts'), file(`import './a.js';`, 'src/b.ts')],
      [
        file(`import type { B } from './b.js';`, 'src/a.ts'),
        file(`export type { A } from './a.js';`, 'src/b.ts'),
      ],
      [file(`import './a.js';`, 'src/a.ts')],
      [
        file(`import './x/b.js';`, 'src/a.ts'),
        file(`import './c.js';`, 'src/x/b.ts'),
        file(`import '../a.js';`, 'src/x/c.ts'),
      ],
    ],
    keeps: [
      file(`import './b.js';\nimport './c.js';`, 'src/a.ts'),
      file(`import './c.js';`, 'src/b.ts'),
      file('', 'src/c.ts'),
    ],
  },
  {
    name: 'typeorm is used in entities, services, queries, database and migrations alone',
    rule: (sources) => [...typeormIn(sources), ...nestTypeormIn(sources)],
    breaks: [
      [file(`import { In } from 'typeorm';`, 'src/users/users.controller.ts')],
      [file(`import type { DataSource } from 'typeorm';`, 'src/app.ts')],
      [file(`import { x } from 'typeorm/util.js';`, 'src/http/fields/page.ts')],
      [file(`import { InjectRepository } from '@nestjs/typeorm';`, 'src/users/users.controller.ts')],
    ],
    keeps: [
      file(`import { Repository } from 'typeorm';\nimport { InjectRepository } from '@nestjs/typeorm';`),
      file(`import { Column } from 'typeorm';`, 'src/users/user.entity.ts'),
      file(`import { TypeOrmModule } from '@nestjs/typeorm';`, 'src/users/users.module.ts'),
    ],
  },
  {
    name: 'fastify is used in app, http, access, actuator and docs alone',
    rule: fastifyIn,
    breaks: [
      [file(`import type { FastifyRequest } from 'fastify';`, 'src/auth/jwt.strategy.ts')],
      [file(`import cors from '@fastify/cors';`, 'src/main.ts')],
    ],
    keeps: [file(`import type { FastifyRequest } from 'fastify';`, 'src/access/caller.ts')],
  },
  {
    name: 'tokens and password hashes are made and read in auth alone',
    rule: (sources) => [...jwtIn(sources), ...bcryptIn(sources)],
    breaks: [
      [file(`import jwt from 'jsonwebtoken';`)],
      [file(`import { Strategy } from 'passport-jwt';`, 'src/access/access.hook.ts')],
      [file(`import { PassportStrategy } from '@nestjs/passport';`, 'src/app.module.ts')],
      [file(`import bcrypt from 'bcrypt';`)],
      [file(`import bcrypt from 'bcrypt';`, 'src/auth/auth.service.ts')],
    ],
    keeps: [file(`import jwt from 'jsonwebtoken';`, 'src/auth/tokens.ts')],
  },
  {
    name: 'process.env is read in config/env.ts alone',
    rule: environmentIn(/^src\/config\/env\.ts$/),
    breaks: [[file(`const a = process.env['A'];`)], [file(`f(process.env);`, 'src/main.ts')]],
    keeps: [file(`const a = process.env;`, 'src/config/env.ts'), file(`settings.env; process.exit(1);`)],
  },
  {
    name: 'nothing throws an exception of the framework',
    rule: noFrameworkException,
    breaks: [[file(`throw new NotFoundException();`)], [file(`const e = new HttpException('x', 418);`)]],
    keeps: [file(`if (e instanceof HttpException) throw new ProblemError('not-found', 'x');`)],
  },
  {
    name: 'there are no barrels',
    rule: noBarrel,
    breaks: [[file('', 'src/users/index.ts')], [file('', 'index.ts')]],
    keeps: [file('', 'src/users/user-index.ts')],
  },
  {
    name: 'there is no forwardRef',
    rule: noForwardRef,
    breaks: [[file(`import { forwardRef } from '@nestjs/common';`)]],
    keeps: [file(`const forward = ref;`)],
  },
  {
    name: 'there is no any',
    rule: noAny,
    breaks: [[file(`let x: any;`)], [file(`const x = y as any;`)], [file(`type A = Record<string, any[]>;`)]],
    keeps: [file(`const any = 'any'; // any`)],
  },
  {
    name: 'there is no console',
    rule: noConsole,
    breaks: [[file(`console.log(1);`)], [file(`const { log } = { log: console.error };`)]],
    keeps: [file(`logger.console.log('console');`)],
  },
  {
    name: 'there are no default exports',
    rule: noDefaultExport,
    breaks: [
      [file(`export default class A {}`)],
      [file(`export default function () {}`)],
      [file(`export default 1;`)],
      [file(`const a = 1; export { a as default };`)],
    ],
    keeps: [file(`import a from 'a'; switch (a) { default: b; } export class A {}`)],
  },
  {
    name: 'nothing is saved without regard to its version',
    rule: noSave,
    breaks: [[file(`await this.users.save(user);`)]],
    keeps: [file(`await this.users.update({ id, version }, patch);`)],
  },
  {
    name: 'files have at most 250 lines',
    rule: filesOfLines(250),
    breaks: [[file(lines(251))]],
    keeps: [file(lines(250))],
  },
  {
    name: 'functions have at most 40 lines',
    rule: functionsOfLines(40),
    breaks: [
      [file(`function f() {\n${lines(39)}}`)],
      [file(`const f = () => {\n${lines(39)}};`)],
      [file(`class A {\nm() {\n${lines(39)}}\n}`)],
      [file(`class A {\nconstructor() {\n${lines(39)}}\n}`)],
    ],
    keeps: [file(`function f() {\n${lines(38)}}`), file(`class A {\n${'m() {}\n'.repeat(50)}}`)],
  },
  {
    name: 'handlers have at most 4 decorators',
    rule: handlersOfDecorators(4),
    breaks: [[handler(`@Get()\n@A()\n@B()\n@C()\n@D()`)]],
    keeps: [handler(`@Get()\n@A()\n@B()\n@C()`)],
  },
  {
    name: 'every handler declares who may call it',
    rule: everyHandlerDeclaresAccess,
    breaks: [[handler(`@Get('b')`)], [handler(`@Delete()\n@HttpCode(200)`, `@Injectable()`)]],
    keeps: [
      handler(`@Get()\n@AllowAccess('admin')`),
      handler(`@Get()`, `@AllowAccess('public')`),
      handler(''),
    ],
  },
];

const sources = [...sourcesIn('src'), ...sourcesIn('migrations')];

describe.each(RULES)('$name', ({ rule, breaks, keeps }) => {
  it('in this project', () => {
    expect(rule(sources)).toEqual([]);
  });

  it('or the rule would tell', () => {
    expect(breaks.filter((broken) => rule(broken).length === 0).map(([first]) => first!.text)).toEqual([]);
    expect(rule(keeps)).toEqual([]);
  });
});

describe('the routes', () => {
  const handlers = handlersIn(sources);

  it('that are public are these', () => {
    expect(publicRoutesIn(sources)).toEqual(PUBLIC_ROUTES);
  });

  it.each(handlers)(
    '$method $path declares the access that the rules by path give it',
    ({ method, path, access }) => {
      expect(accessOf(path, method)).toBe(access);
    },
  );

  it('are all found, with the paths that they have', () => {
    const named = file(`const P = 'a/b';\n@Controller(P)\nclass A {\n@Get('c')\nread() {}\n}`);
    expect(handlersIn([named])).toMatchObject([{ method: 'GET', path: '/a/b/c', access: undefined }]);
    expect(handlers.length).toBeGreaterThanOrEqual(23);
    expect(handlers.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(['GET /api/users/me', 'PUT /api/transactions/:id', 'GET /actuator/prometheus']),
    );
  });
});

describe('the sources', () => {
  it('are all found, and everything that they import is there', () => {
    expect(sources.length).toBeGreaterThan(80);
    const missing = sources
      .flatMap((source) => source.imports())
      .filter(({ target }) => target !== undefined && !isProjectFile(target));
    expect(missing).toEqual([]);
  });

  it('read the variables of .env.example, and no others', () => {
    const named = [...readProjectFile('.env.example').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(
      ([, name]) => name,
    );
    expect([...named].sort()).toEqual([...VARIABLES].sort());
  });

  it('verify tokens with a key that was made once, for a text would become one each time', () => {
    const tokens = new Tokens({ jwt: { secret: 'k'.repeat(32), lifetime: 3_600_000 } });
    expect(tokens.key).toBeInstanceOf(KeyObject);
    expect({ type: tokens.key.type, same: tokens.key === tokens.key }).toEqual({
      type: 'secret',
      same: true,
    });
  });
});
