// Jest's loader of modules. All test files of a worker share the packages, those of Jest included, which Node loads, and the
// sources, whose functions the compiler would otherwise optimise anew for each file. A test cannot replace a module of these.
const { createRequire } = require('node:module');
const { join, resolve } = require('node:path');
const { default: Runtime } = require('jest-runtime');

const FOLDERS = ['src/', 'migrations/'].map((name) => resolve(name) + '/');
const sources = new Map();

module.exports = class extends Runtime {
  requireInternalModule = (from, name) =>
    /^[@\w]/.test(name ?? '') ? createRequire(from)(name) : super.requireInternalModule(from, name);

  requireModuleOrMock(from, name) {
    if (!name.startsWith('.')) return createRequire(from)(name);
    const path = join(from, '..', name);
    // Coverage is of the sources that a test file has loaded itself.
    if (this._coverageOptions.collectCoverage || !FOLDERS.some((folder) => path.startsWith(folder)))
      return super.requireModuleOrMock(from, name);
    if (!sources.has(path)) sources.set(path, super.requireModuleOrMock(from, name));
    return sources.get(path);
  }
};
