// npm run cli: the command-line tool, on the environment and the file .env of this project.
const { loadEnvironmentFile } = await import('../dist/src/config/env.js');
const { processIo } = await import('../dist/src/cli/io.js');
const { runCli } = await import('../dist/src/cli/run.js');
const { DATA_FOLDER } = await import('../dist/src/quickstart/data.js');

const env = loadEnvironmentFile();
process.exitCode = await runCli(process.argv.slice(2), processIo(), env, DATA_FOLDER);
