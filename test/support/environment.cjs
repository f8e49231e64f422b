// Jest's environment of Node, but that its tests run in no asynchronous context of their own. By that Jest knows whose an
// unhandled rejection is; before Node 24 it makes every promise dearer, by a tenth of the processor's time of all tests.
// Without it such a rejection fails its file, and not a test.
const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (store, work, ...args) {
  const isOfJest = store?.test !== undefined || store?.hook !== undefined;
  return isOfJest ? work(...args) : run.call(this, store, work, ...args);
};

module.exports = TestEnvironment;
