// Jest's environment. All test files of a worker share Node's own globals, so the packages that Node has loaded for one file
// serve the next (see runtime.cjs). Jest would make globals, and evaluate Nest, anew for each file, which takes a second.
const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

const bodies = new Map();

/** A source is compiled once, not once for each test file. */
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, options) => {
  if (options?.parsingContext !== globalThis) return compileFunction(code, parameters, options);
  const known = bodies.get(options.filename);
  if (known?.code === code) return known.body;
  const body = compileFunction(code, parameters, { ...options, parsingContext: undefined });
  bodies.set(options.filename, { code, body });
  return body;
};

// Jest runs each test in an asynchronous context, to know the test of an unhandled rejection. Before Node 24 that makes every
// promise dearer, by a tenth of the processor's time of all tests. Without it such a rejection fails its file.
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (store, work, ...args) {
  const isOfJest = store?.test !== undefined || store?.hook !== undefined;
  return isOfJest ? work(...args) : run.call(this, store, work, ...args);
};

module.exports = class {
  constructor({ projectConfig: config }) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')]; // of the file before
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
  }

  getVmContext() {
    return globalThis;
  }
};
