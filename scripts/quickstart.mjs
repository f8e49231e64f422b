// npm run quickstart: from a fresh checkout to a service that answers.
import { isSupported, refuse } from './lib/node-version.mjs';

if (isSupported) import('./lib/quickstart.mjs');
else refuse();
