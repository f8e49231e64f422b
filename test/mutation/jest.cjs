// Jest's reporter and order for a planted fault: the suites as the command line has them, up to the first failing test.
const { writeSync } = require('node:fs'); // a test may have taken process.stdout for itself

const patterns = process.argv.filter((argument) => argument.endsWith('$')).map((text) => new RegExp(text));

function end(path, name) {
  writeSync(1, `\n${path}\n${name}`);
  process.exit(1);
}

module.exports = class {
  onTestCaseStart() {
    writeSync(1, '.'); // a sign of life
  }
  onTestCaseResult({ path }, { status, fullName }) {
    if (status === 'failed') end(path, fullName);
  }
  onTestFileResult({ path }, { testExecError }) {
    if (testExecError) end(path, 'cannot run');
  }
  sort(tests) {
    const place = ({ path }) => patterns.findIndex((pattern) => pattern.test(path));
    return tests.sort((one, other) => place(one) - place(other));
  }
  cacheResults() {}
};
