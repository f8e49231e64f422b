// Before a start: builds where dist/ is missing or older than the sources.
import { readOptions } from './lib/command.mjs';
import { build, canBuild, isBuilt, isThere, say } from './lib/project.mjs';

readOptions(`Usage: node scripts/ensure-build.mjs

Builds dist/ where it is missing or older than the sources; npm runs this before "npm start" and "npm run cli".

  --help, -h  this

Example: node scripts/ensure-build.mjs && node scripts/cli.mjs doctor

Exit codes: 0 there is a build to start, 1 there is none, or it failed, 2 called wrongly.
`);

if (isBuilt()) {
  // nothing to do
} else if (canBuild()) {
  await build();
} else if (isThere('dist/src/main.js')) {
  say('dist/ was not made from these sources. It is used as it is, because the compiler is not installed.');
} else {
  say('Nothing is built, and the compiler is not installed. Run: npm ci && npm run build');
  process.exitCode = 1;
}
