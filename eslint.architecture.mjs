// What may use what, and what is written nowhere. test/architecture.spec.ts shows that each rule refuses a breach.
import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';

const COMMON = ['validation', 'problems', 'json', 'paging', 'access', 'concurrency', 'metrics'].map(
  (room) => `common/${room}`,
);
const BASE = [...COMMON, 'http', 'openapi', 'database', 'config'];
const FEATURES = [
  'auth',
  'keys',
  'users',
  'properties',
  'transactions',
  'reports',
  'transfers',
  'actuator',
  'docs',
];

/** Layer → its files, from the project's root. */
const LAYERS = {
  // main, cli, quickstart and what they have to themselves: they start the application, from the outside.
  entry: ['src/!(app|app.module|shutdown).ts', 'src/{cli,quickstart}/**'],
  app: ['src/{app,shutdown}.ts'],
  'app.module': ['src/app.module.ts'],
  migrations: ['migrations/**'],
  ...Object.fromEntries([...FEATURES, ...BASE].map((name) => [name, [`src/${name}/**`]])),
};

/** Downward only; each layer may also use itself. */
const MAY_USE = {
  entry: ['app', 'app.module', ...FEATURES, ...BASE],
  app: ['app.module', ...FEATURES, ...BASE],
  'app.module': [...FEATURES, ...BASE],
  auth: ['keys', 'users', ...BASE],
  keys: ['users', ...BASE],
  transactions: ['properties', ...BASE],
  reports: ['transactions', 'properties', ...BASE],
  transfers: ['transactions', 'properties', ...BASE],
  users: BASE,
  properties: BASE,
  actuator: BASE,
  docs: ['http', ...COMMON, 'config'],
  openapi: ['http', ...COMMON],
  http: [...COMMON, 'database', 'config'],
  'common/access': ['common/problems', 'common/json', 'database', 'config'],
  'common/paging': ['common/validation', 'common/problems', 'common/json', 'database'],
  // Rows and errors of its own go up; pages, problems and access are made of them above.
  database: [
    'common/validation',
    'common/json',
    'common/concurrency',
    'common/metrics',
    'config',
    'migrations',
  ],
  'common/validation': ['common/problems', 'common/json', 'common/concurrency'],
  'common/problems': ['common/json'],
  'common/json': ['common/concurrency'],
  'common/concurrency': [],
  config: [],
  'common/metrics': [],
  migrations: [],
};

/** Packages that only these files may import. */
const ROOMS = [
  {
    packages: ['typeorm'],
    files: ['src/**/*.{entity,repository}.ts', 'src/database/**', 'migrations/**'],
  },
  {
    packages: ['fastify', '@fastify/*'],
    files: ['src/app.ts', 'src/{http,common/{access,problems},actuator,docs}/**'],
  },
  { packages: ['jsonwebtoken', 'passport*', '@nestjs/{passport,jwt}'], files: ['src/auth/**'] },
  { packages: ['class-validator'], files: ['src/{config,common/validation}/**'] },
  { packages: ['class-transformer'], files: ['src/config/**'] },
  { packages: ['bcrypt*'], files: ['src/auth/passwords.ts'] },
];

const inLayer = (categories) => ({ file: { categories } });
const inPackage = (source) => ({ module: { origin: 'external', source } });

const dependencies = {
  default: 'disallow',
  checkAllOrigins: true,
  checkUnknownLocals: true,
  policies: [
    ...Object.entries(MAY_USE).map(([layer, used]) => ({
      from: inLayer(layer),
      allow: { to: inLayer([layer, ...used]) },
    })),
    { from: { module: { origin: 'local' } }, allow: { to: { module: { origin: ['external', 'core'] } } } },
    ...ROOMS.flatMap(({ packages, files }) => [
      { to: inPackage(packages), disallow: { to: inPackage(packages) } },
      { from: { file: { path: files } }, allow: { to: inPackage(packages) } },
    ]),
  ],
};

const NOWHERE = [
  ['NewExpression[callee.name=/Exception$/]', 'Throw a ProblemError: it says which problem it is.'],
  ['Identifier[name="forwardRef"]', 'A cycle needs another cut, not a forwardRef.'],
  ['CallExpression[callee.property.name="save"]', 'save() takes a stale version and writes it back.'],
  ['CallExpression[callee.property.name=/^find(?:One|By|AndCount)/]', 'Reads are SQL of the repository.'],
  ['CallExpression[callee.property.name="find"] > ObjectExpression', 'Reads are SQL of the repository.'],
  ['TSImportType', 'Import types at the head of the file, where the layers are checked.'],
  [
    'ClassDeclaration:has(> Decorator[expression.callee.name="Controller"]):not(:has(> Decorator[expression.callee.name="AllowAccess"]))',
    'A controller declares its access: @AllowAccess.',
  ],
  ['MethodDefinition[decorators.length>4]', 'A handler has at most 4 decorators.'],
];

export default [
  {
    files: ['src/**/*.ts', 'migrations/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    linterOptions: { noInlineConfig: true },
    plugins: { boundaries, '@typescript-eslint': tseslint.plugin },
    settings: {
      'boundaries/files': Object.entries(LAYERS).map(([category, pattern]) => ({ category, pattern })),
      'import/resolver': { typescript: true },
    },
    rules: {
      'boundaries/dependencies': ['error', dependencies],
      'boundaries/no-unknown-files': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      'no-console': 'error',
      'no-restricted-exports': [
        'error',
        { restrictDefaultExports: { direct: true, named: true, defaultFrom: true, namedFrom: true } },
      ],
      'no-restricted-syntax': ['error', ...NOWHERE.map(([selector, message]) => ({ selector, message }))],
    },
  },
  {
    files: ['src/**/*.ts', 'migrations/**/*.ts'],
    ignores: ['**/*.spec.ts', 'src/config/env.ts'],
    rules: {
      'no-restricted-properties': ['error', { object: 'process', property: 'env' }],
      'no-restricted-imports': [
        'error',
        ...['process', 'node:process'].map((name) => ({ name, importNames: ['default', 'env'] })),
      ],
    },
  },
  {
    files: ['**/index.ts'],
    rules: { 'no-restricted-syntax': ['error', { selector: 'Program', message: 'No barrels.' }] },
  },
  {
    files: ['**/*.ts'],
    ignores: ['test/**', '**/*.spec.ts'],
    rules: { 'max-lines': ['error', { max: 250 }], 'max-lines-per-function': ['error', { max: 40 }] },
  },
];
