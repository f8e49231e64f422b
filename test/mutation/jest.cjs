// Jest's reporter and order for a planted fault: the suites as the command line has them, up to the first failing test.
const { writeSync } = require('node:fs'); // a test may have taken process.stdout for itself

const patterns = process.argv.filter((argument) => argument.endsWith('$')).map((text) => new RegExp(text));
const placeOf = ({ path }) => patterns.findIndex((pattern) => pattern.test(path));

function end(path, name) {
  writeSync(1, `\n${path}\n${name}`);
  process.exit(1);
}

module.exports = class {
  onTestCaseStart = () => writeSync(1, '.'); // a sign of life
  onTestCaseResult = ({ path }, { status, fullName }) => status === 'failed' && end(path, fullName);
  onTestFileResult = ({ path }, { testExecError }) => testExecError && end(path, 'cannot run');
  sort = (tests) => tests.sort((one, other) => placeOf(one) - placeOf(other));
  cacheResults() {}
};
