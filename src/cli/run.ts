import { parseArgs } from 'node:util';
import type { Command, Invocation } from './command.js';
import { DB_COMMANDS } from './db.commands.js';
import { DOCTOR } from './doctor.command.js';
import { UsageError } from './errors.js';
import { USAGE } from './exit-codes.js';
import { describeFailure } from './failures.js';
import { explanation, overview, suggestion, usage } from './help.js';
import { type Io, printable } from './io.js';
import { chooseTarget } from './target.js';
import { TOKEN_COMMANDS } from './token.commands.js';
import { USER_COMMANDS } from './user.commands.js';
import { DATA_FOLDER, type Environment } from '../quickstart/data.js';

const COMMANDS: readonly Command[] = [...USER_COMMANDS, ...TOKEN_COMMANDS, ...DB_COMMANDS, DOCTOR];
/** They may stand anywhere. */
const GLOBAL_FLAGS = ['--quickstart', '--help', '-h'];

/** Runs one command. Returns the exit code: 0, or one of cli/exit-codes.ts. */
export async function runCli(
  argv: readonly string[],
  io: Io,
  env: Environment,
  dataFolder: string = DATA_FOLDER,
  isBuilt: () => boolean = () => true,
): Promise<number> {
  const target = chooseTarget(argv.includes('--quickstart'), env, dataFolder);
  const words = argv.filter((word) => !GLOBAL_FLAGS.includes(word));
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  const group = COMMANDS.filter(({ name }) => name.split(' ')[0] === words[0]);
  try {
    if (argv.includes('--help') || argv.includes('-h')) {
      io.out(command === undefined ? overview(group.length > 0 ? group : COMMANDS) : explanation(command));
      return 0;
    }
    if (command === undefined) throw new UsageError(unknown(words, group.length > 0));
    return (await command.run({ ...invocation(command, words), target, io, isBuilt })) ?? 0;
  } catch (error) {
    const { lines, exitCode } = describeFailure(error, target);
    for (const line of lines) io.err(line);
    if (exitCode === USAGE) io.err(usage(command));
    return exitCode;
  }
}

function unknown(words: readonly string[], isGroup: boolean): string {
  if (words.length === 0) return 'Name a command.';
  const written = words.slice(0, isGroup ? 2 : 1).join(' ');
  const known = COMMANDS.flatMap(({ name }) => [name, ...(isGroup ? [] : name.split(' ', 1))]);
  return `There is no command "${printable(written)}".${suggestion(written, known)}`;
}

/** Throws a UsageError. */
function invocation(
  command: Command,
  words: readonly string[],
): Pick<Invocation, 'text' | 'flag' | 'operand'> {
  const args = words.slice(command.name.split(' ').length);
  const { values, positionals } = parsed(command, args);
  const text = (option: string): string | undefined => {
    const value: unknown = values[option];
    return typeof value === 'string' ? value : undefined;
  };
  const missing = (command.required ?? []).filter((option) => text(option) === undefined);
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.map((name) => `--${name}`).join(', ')}`);
  const { operands = [] } = command;
  if (positionals.length < operands.length)
    throw new UsageError(`Missing: ${operands.slice(positionals.length).join(', ')}`);
  if (positionals.length > operands.length) throw new UsageError('There are more arguments than it takes.');
  return {
    text,
    flag: (option) => values[option] === true,
    operand: (index) => positionals[index] ?? '',
  };
}

function parsed({ options = {} }: Command, args: string[]): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const [message = ''] = (error as Error).message.split('. ', 1);
    const option = /^Unknown option '(--[^']*)'/.exec(message)?.[1] ?? '';
    const meant = suggestion(
      option,
      Object.keys(options).map((name) => `--${name}`),
    );
    throw new UsageError(meant === '' ? message : `${message}.${meant}`);
  }
}
