// Jest's reporter for a planted fault: after the first test that fails, the rest need not run.
function end(failure) {
  process.stdout.write(failure);
  process.exit(1);
}

module.exports = class {
  onTestCaseResult(_, { status, fullName }) {
    if (status === 'failed') end(fullName);
  }
  onTestFileResult({ path }, { testExecError }) {
    if (testExecError) end(`${path} cannot run`);
  }
};
