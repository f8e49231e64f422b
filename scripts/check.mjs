// npm run check -- [--results FILE]: all that must hold before a change goes in; Jest's account goes to the file, that of a
// second run to FILE.again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/project.mjs';

const { values } = parseArgs({ options: { results: { type: 'string' } } });
const results = values.results ?? join(mkdtempSync(join(tmpdir(), 'check-')), 'results.json');

/** Beside the lint: each takes one processor. */
const STATIC = [['check:lock'], ['format:check'], ['typecheck'], ['client:check'], ['build']];
const TEST = ['test', '--', '--ci', '--json', '--outputFile']; // with the examples and the model
const LONGER = [
  ['test', '--', '--ci', '--postgres', '15', 'test/plans.e2e-spec.ts'], // the oldest that is promised
  ['test:soak', '--', '--short'],
  ['test:faults', '--', '--short', '--again'],
];

const seconds = (since) => ((Date.now() - since) / 1000).toFixed(1);
const started = Date.now();
const passed =
  (await Promise.all([inTurn([['lint']]), inTurn(STATIC)])).every(Boolean) &&
  ((await inTurn([[...TEST, results]])) || (await inTurn(again()))) &&
  (await inTurn(LONGER));
if (!passed) process.exit(1);
console.log(`\nAll checks passed after ${seconds(started)} s`);

/** A second run, alone, of one or two files that failed. Of thousands of tests one may fail beside others for load; its name is printed. */
function again() {
  const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  console.log(`\nFailed: ${failed.join(' ')}`);
  const alone = ['--runInBand', '--runTestsByPath', ...failed];
  return failed.length <= 2 ? [[...TEST, `${results}.again`, ...alone]] : [];
}

/** False after the first that fails, and without any. */
async function inTurn(steps) {
  for (const step of steps) {
    const start = Date.now();
    console.log(`\n── npm run ${step.join(' ')}`);
    const child = spawn('npm', ['run', '--silent', ...step], { cwd: root, stdio: 'inherit' });
    const [status] = await once(child, 'exit');
    console.log(`── ${step[0]} ${status === 0 ? 'passed' : 'FAILED'} after ${seconds(start)} s`);
    if (status !== 0) return false;
  }
  return steps.length > 0;
}
