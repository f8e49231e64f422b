import { CommanderError } from 'commander';
import type { Environment } from '../config/variables.js';
import { DATA_FOLDER } from '../quickstart/data.js';
import { USAGE } from './exit-codes.js';
import { describeFailure } from './failures.js';
import type { Io } from './io.js';
import { createProgram } from './program.js';
import { chooseTarget } from './target.js';

/** Runs one command. Returns the exit code: 0, or one of cli/exit-codes.ts. */
export async function runCli(
  argv: readonly string[],
  io: Io,
  env: Environment,
  dataFolder: string = DATA_FOLDER,
  isBuilt: () => boolean = () => true,
): Promise<number> {
  const target = chooseTarget(argv.includes('--quickstart'), env, dataFolder);
  const session = { io, target, isBuilt, exitCode: 0 };
  try {
    await createProgram(session).parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE; // it has been told
    const { lines, exitCode } = describeFailure(error, target);
    for (const line of lines) io.err(line);
    return exitCode;
  }
}
