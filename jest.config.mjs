import { readFileSync } from 'node:fs';

const swcrc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

// Nest 12 and a few of its dependencies are ESM only. Jest can require() ESM natively only from
// Node 24.9 on, so they are compiled to CommonJS by swc, like our own sources.
const esmPackages = ['@nestjs', 'file-type', 'cookie'];

const compiled = (options) => ({ ...swcrc, swcrc: false, module: { type: 'commonjs' }, ...options });

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/clients/typescript/test'],
  testRegex: '\\.(spec|e2e-spec)\\.ts$',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1', '$1.js'] },
  transform: {
    '/node_modules/.+\\.[cm]?js$': ['@swc/jest', compiled({ sourceMaps: false })],
    '\\.[cm]?[jt]s$': ['@swc/jest', compiled({ sourceMaps: 'inline' })],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages.join('|')})/)`],
  filter: '<rootDir>/test/support/run-filter.cjs',
  testSequencer: '<rootDir>/test/support/run-order.cjs',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  setupFilesAfterEnv: ['close-opened', 'quick-hashes'].map((name) => `<rootDir>/test/support/${name}.ts`),
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // More than there are processors: tests of timeouts wait for most of their time.
  maxWorkers: 4,
  testTimeout: 90_000, // a busy machine takes ten times as long as a quiet one
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', 'migrations/**/*.ts'],
};
