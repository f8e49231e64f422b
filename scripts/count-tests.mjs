// Prints "N passed, N failed" of what Jest has written to the file, and to FILE.again of a second run: the last run of each
// test file counts, and one that could not run is a failure.
import { existsSync, readFileSync } from 'node:fs';

const accounts = [process.argv[2], `${process.argv[2]}.again`]
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path, 'utf8') || '{}')); // empty where nothing was run
const files = new Map(
  accounts.flatMap(({ testResults = [] }) => testResults.map((file) => [file.name, file])),
);
let [passed, failed] = [0, 0];
for (const { status, assertionResults } of files.values()) {
  const count = (wanted) => assertionResults.filter((test) => test.status === wanted).length;
  passed += count('passed');
  failed += count('failed') || Number(status === 'failed');
}
console.log(`${passed} passed, ${failed} failed`);
