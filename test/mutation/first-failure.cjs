// Jest's reporter for a planted fault: the first test that fails has told of it, and the rest need not run.
module.exports = class {
  onTestCaseResult(test, { status, fullName }) {
    if (status === 'failed') told(fullName);
  }
  onTestFileResult(test, { testExecError }) {
    if (testExecError) told(`${test.path} cannot run`);
  }
};

function told(by) {
  process.stdout.write(by);
  process.exit(1);
}
