// npm run cli: the command-line tool, on the environment and the file .env of this project.
import { loadEnvironmentFile } from '../dist/src/config/env.js';
import { processIo } from '../dist/src/cli/io.js';
import { runCli } from '../dist/src/cli.js';

loadEnvironmentFile();
process.exitCode = await runCli(process.argv.slice(2), processIo(), process.env);
