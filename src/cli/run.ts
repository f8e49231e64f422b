import { CommanderError } from 'commander';
import { ConfigurationError } from '../config/env.js';
import type { Environment } from '../config/variables.js';
import { DATA_FOLDER, isSeeded } from '../quickstart/data.js';
import { describeFailure, Failure, FAILED, USAGE } from './failures.js';
import type { Io } from './io.js';
import { createProgram } from './program.js';
import { chooseTarget } from './target.js';

/** Runs one command. Returns the exit code: 0, or one of cli/failures.ts. */
export async function runCli(
  argv: readonly string[],
  io: Io,
  env: Environment,
  dataFolder: string = DATA_FOLDER,
): Promise<number> {
  const target = chooseTarget(argv.includes('--quickstart'), env, dataFolder);
  const session = { io, target, exitCode: 0 };
  try {
    await createProgram(session).parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE; // commander has said why
    io.err(describeFailure(error));
    if (error instanceof ConfigurationError && !target.isQuickstart && isSeeded(dataFolder))
      io.err("With --quickstart it works on the quickstart's database instead.");
    return error instanceof Failure ? error.exitCode : FAILED;
  }
}
