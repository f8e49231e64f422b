// npm run cli: the command-line tool, on the environment and the file .env of this project.
const { loadEnvironmentFile } = await import('../dist/src/config/env.js');
const { describeFailure, FAILED } = await import('../dist/src/cli/failures.js');
const { processIo } = await import('../dist/src/cli/io.js');
const { runCli } = await import('../dist/src/cli/run.js');
const { DATA_FOLDER } = await import('../dist/src/quickstart/data.js');

const io = processIo();
try {
  process.exitCode = await runCli(process.argv.slice(2), io, loadEnvironmentFile(), DATA_FOLDER);
} catch (error) {
  io.err(describeFailure(error));
  process.exitCode = FAILED;
}
