import { Command, CommanderError } from 'commander';
import type { Environment } from '../config/variables.js';
import { DATA_FOLDER } from '../quickstart/data.js';
import { addDbCommands } from './db.commands.js';
import { addDoctor } from './doctor/doctor.js';
import { describeFailure, Failure, FAILED, USAGE } from './failures.js';
import { type Io, printable } from './io.js';
import type { Session } from './session.js';
import { addTokenCommands } from './token.commands.js';
import { addUserCommands } from './user.commands.js';

const NOTES = `
Settings come from the environment or the file .env, as for the service (see .env.example). Where no DB_
variable names a database, and a quickstart has left its data in .data/, the quickstart's is used.

Exit codes: 0 it worked, 1 it did not, 2 it was called wrongly, 130 it was interrupted.`;

/** Runs one command. Returns the exit code: 0, or one of cli/failures.ts. */
export async function runCli(argv: readonly string[], io: Io, env: Environment, dataFolder = DATA_FOLDER) {
  const wantsQuickstart = argv.includes('--quickstart');
  const session: Session = { io, env, dataFolder, wantsQuickstart, exitCode: 0 };
  try {
    await createProgram(session).parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE; // commander has said why
    io.err(describeFailure(error));
    return error instanceof Failure ? error.exitCode : FAILED;
  } finally {
    await session.database?.stop();
  }
}

/** The commands with their options and their help, which throw a CommanderError in place of ending the process. */
export function createProgram(session: Session): Command {
  const { io } = session;
  const program = new Command('npm run cli --')
    .description('Accounts, tokens, the database, and whether all is well with them.')
    .option('--quickstart', "work on the quickstart's database in .data/, which need not be running")
    .exitOverride()
    .showHelpAfterError('--help says more, of the whole and of each command.')
    .configureHelp({ helpWidth: 110, showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd().split('\n').map(printable).join('\n')),
    })
    .addHelpText('afterAll', NOTES);
  addUserCommands(program, session);
  addTokenCommands(program, session);
  addDbCommands(program, session);
  addDoctor(program, session);
  return program;
}
