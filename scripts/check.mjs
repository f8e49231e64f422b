// npm run check -- [--results FILE]: all that must hold before a change goes in; Jest's account goes to the file.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from './lib/project.mjs';

const { values } = parseArgs({ options: { results: { type: 'string' } } });
const results = values.results === undefined ? [] : ['--json', '--outputFile', values.results];

const STEPS = [
  ['check:lock'],
  ['format:check'],
  ['lint'],
  ['typecheck'],
  ['client:check'],
  ['build'],
  ['test', '--', '--ci', ...results], // with the examples and the model
  ['test', '--', '--ci', '--postgres', '15', 'test/plans.e2e-spec.ts'], // the oldest that is promised
  ['test:soak', '--', '--short'],
  ['test:faults', '--', '--short', '--again'],
];

const started = Date.now();
for (const step of STEPS) {
  const start = Date.now();
  console.log(`\n── npm run ${step.join(' ')}`);
  const { status } = spawnSync('npm', ['run', '--silent', ...step], { cwd: root, stdio: 'inherit' });
  console.log(`── ${step[0]} ${status === 0 ? 'passed' : 'FAILED'} after ${seconds(start)} s`);
  if (status !== 0) process.exit(1);
}
console.log(`\nAll checks passed after ${seconds(started)} s`);

function seconds(since) {
  return ((Date.now() - since) / 1000).toFixed(1);
}
