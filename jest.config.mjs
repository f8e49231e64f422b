import { readFileSync } from 'node:fs';

const swcrc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  runtime: '<rootDir>/test/support/runtime.cjs',
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  roots: [
    '<rootDir>/src',
    '<rootDir>/test',
    '<rootDir>/clients/typescript/test',
    '<rootDir>/clients/bank-import/test',
  ],
  testRegex: '\\.(spec|e2e-spec)\\.ts$',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1', '$1.js'] },
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      { ...swcrc, swcrc: false, module: { type: 'commonjs' }, sourceMaps: 'inline' },
    ],
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  setupFilesAfterEnv: ['close-opened', 'quick-hashes'].map((name) => `<rootDir>/test/support/${name}.ts`),
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // More than there are processors: tests of timeouts wait for most of their time. Each takes 4 s of a processor to start.
  maxWorkers: 4,
  workerGracefulExitTimeout: 10_000, // of which a busy machine needs more than the usual half second
  testTimeout: 90_000, // a busy machine takes ten times as long as a quiet one
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', 'migrations/**/*.ts'],
};
