// Jest's loader of modules, except for packages, which Node loads once for all test files of a worker.
const { createRequire } = require('node:module');
const { default: Runtime } = require('jest-runtime');

module.exports = class extends Runtime {
  requireModule(from, name, options, isActual) {
    const isPackage = /^[^./]/.test(name ?? '') && !options?.isInternalModule;
    return isPackage ? createRequire(from)(name) : super.requireModule(from, name, options, isActual);
  }
};
