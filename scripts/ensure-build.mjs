// Before a start: builds where dist/ is missing or older than the sources.
import { build, canBuild, isBuilt, isThere, say } from './lib/project.mjs';

if (!isBuilt())
  if (canBuild()) await build();
  else if (isThere('dist/src/main.js'))
    say('dist/ was not made from these sources. It is used as it is, because the compiler is not installed.');
  else {
    say('Nothing is built, and the compiler is not installed. Run: npm ci && npm run build');
    process.exitCode = 1;
  }
