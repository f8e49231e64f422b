// npm run cli: the command-line tool, on the environment and the file .env of this project.
import { isSupported, refuse } from './lib/node-version.mjs';

if (isSupported) import('./lib/cli.mjs');
else refuse();
