// npm run dev: the quickstart's service, started again with every change of the sources.
import { isSupported, refuse } from './lib/node-version.mjs';

if (isSupported) import('./lib/dev.mjs');
else refuse();
