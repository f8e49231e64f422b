import { loadEnvironmentFile } from '../../dist/src/config/env.js';
import { processIo } from '../../dist/src/cli/io.js';
import { runCli } from '../../dist/src/cli/run.js';
import { DATA_FOLDER } from '../../dist/src/quickstart/data.js';
import { isBuilt } from './project.mjs';

loadEnvironmentFile();
process.exitCode = await runCli(process.argv.slice(2), processIo(), process.env, DATA_FOLDER, isBuilt);
