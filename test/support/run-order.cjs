// Jest's sequencer: the longest first, so that none is left to run alone at the end. Where no earlier run has told how
// many milliseconds a file takes, its octets say as much, and those of the files that it runs.
const { statSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');
const { filesOf } = require('./run-filter.cjs');

module.exports = class extends Sequencer {
  sort(tests) {
    const lengths = new Map(tests.map((test) => [test, this.time(test) ?? sizeOf(test.path)]));
    return tests.toSorted((one, other) => lengths.get(other) - lengths.get(one));
  }
};

function sizeOf(path) {
  return [path, ...filesOf(path)].reduce((sum, file) => sum + statSync(file).size, 0);
}
