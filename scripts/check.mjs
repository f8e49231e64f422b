// npm run check -- [--results FILE]: all that must hold before a change goes in; Jest's account goes to the file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { root } from './lib/project.mjs';

const { values } = parseArgs({ options: { results: { type: 'string' } } });
const results = values.results === undefined ? [] : ['--json', '--outputFile', values.results];

/** Beside the lint: each takes one processor. */
const STATIC = [['check:lock'], ['format:check'], ['typecheck'], ['client:check'], ['build']];
const TESTS = [
  ['test', '--', '--ci', ...results], // with the examples and the model
  ['test', '--', '--ci', '--postgres', '15', 'test/plans.e2e-spec.ts'], // the oldest that is promised
  ['test:soak', '--', '--short'],
  ['test:faults', '--', '--short', '--again'],
];

const seconds = (since) => ((Date.now() - since) / 1000).toFixed(1);
const started = Date.now();
const passed =
  (await Promise.all([inTurn([['lint']]), inTurn(STATIC)])).every(Boolean) && (await inTurn(TESTS));
if (!passed) process.exit(1);
console.log(`\nAll checks passed after ${seconds(started)} s`);

/** False after the first that fails. */
async function inTurn(steps) {
  for (const step of steps) {
    const start = Date.now();
    console.log(`\n── npm run ${step.join(' ')}`);
    const child = spawn('npm', ['run', '--silent', ...step], { cwd: root, stdio: 'inherit' });
    const [status] = await once(child, 'exit');
    console.log(`── ${step[0]} ${status === 0 ? 'passed' : 'FAILED'} after ${seconds(start)} s`);
    if (status !== 0) return false;
  }
  return true;
}
