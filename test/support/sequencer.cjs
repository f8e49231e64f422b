// The order of the test files. Jest begins with those that took longest the last time, which a new checkout does not know: there
// it takes the largest. Files that start programs and servers are small and slow; at the end all others would wait for them.
const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

const SLOW = /from '(node:child_process|.*\/(process|postgres-server|checkout|script|model\/\w+)\.js)'/;

module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const isSlow = ({ path }) => SLOW.test(readFileSync(path, 'utf8'));
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
};
