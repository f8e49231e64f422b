// Prints "N passed, N failed" of a result that Jest has written. A file that could not run counts as a failure.
import { readFileSync } from 'node:fs';

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // nothing was run
  }
}

const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = read(process.argv[2]);
console.log(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`);
