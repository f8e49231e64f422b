import { Command } from 'commander';
import { addDbCommands } from './db.commands.js';
import { addDoctor } from './doctor.command.js';
import { CALL, example, NOTES } from './help.js';
import { printable } from './io.js';
import type { Session } from './target.js';
import { addTokenCommands } from './token.commands.js';
import { addUserCommands } from './user.commands.js';

const WIDTH = 110;

/** The commands with their options and their help, which throw a CommanderError in place of ending the process. */
export function createProgram(session: Session): Command {
  const { io } = session;
  const program = new Command(CALL)
    .description('Accounts, tokens, the database, and whether all is well with them.')
    .option('--quickstart', "work on the quickstart's database in .data/, which need not be running")
    .exitOverride()
    .showHelpAfterError(`"${CALL} --help" lists the commands, and --help behind one of them says more.`)
    .configureHelp({
      helpWidth: WIDTH,
      showGlobalOptions: true,
      subcommandTerm: (command) => {
        const inGroup = command.commands.map((child) => child.name()).join('|');
        return `${command.name()} ${inGroup === '' ? command.usage() : inGroup}`;
      },
    })
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd().split('\n').map(printable).join('\n')),
    })
    .addHelpText('after', example('user create --username root --email root@example.com --admin'))
    .addHelpText('afterAll', NOTES);
  addUserCommands(program, session);
  addTokenCommands(program, session);
  addDbCommands(program, session);
  addDoctor(program, session);
  return program;
}
