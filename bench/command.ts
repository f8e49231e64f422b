import { Command as Program } from 'commander';
import { Cleanup } from './cleanup.js';
import { type Options, readOptions, UsageError, type ValuesOf } from './options.js';

/** A program or package that the command needs is not on this machine. The message says how to get it. */
export class Missing extends Error {}

export interface Command<O extends Options> {
  /** How it is called: `npm run bench`. */
  readonly call: string;
  readonly about: string;
  readonly options?: O;
  /** Arguments that make sense together. */
  readonly example?: string;
  /** Returns the exit code, and defers its clean-up to the {@link Cleanup}. */
  readonly run: (values: ValuesOf<O>, cleanup: Cleanup) => Promise<number>;
}

/**
 * Runs a command to its end, and then each deferred step of the {@link Cleanup}. The exit code is the result of `run`, 1
 * when that fails, 2 after a wrong call and 130 after an interruption.
 */
export async function runCommand<O extends Options>(command: Command<O>): Promise<void> {
  const { call, about, example = '', options = {} as O } = command;
  const codes = '0 all is right, 1 something is not, 2 called wrongly, 130 interrupted.';
  const program = new Program(call)
    .description(about)
    .addHelpText('after', `\nExample: ${call} -- ${example}\nExit codes: ${codes}`);
  const values = readOptions(program, options);
  const cleanup = new Cleanup();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void cleanup.run().finally(() => process.exit(130)));
  try {
    process.exitCode = await command.run(values, cleanup);
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    // After an interruption everything fails, and that says nothing.
    if (!cleanup.begun) process.stderr.write(`${explain(error as Error)}\n`);
  } finally {
    await cleanup.run();
  }
}

const CLEAR_LINE = '\r\u001b[K';

/** In place of the line of {@link progress}. */
export function print(text: string): void {
  process.stdout.write(process.stdout.isTTY ? CLEAR_LINE + text : text);
}

/** One line that is written over and over; in a file it would only be in the way. */
export function progress(step: string): void {
  if (process.stdout.isTTY) process.stdout.write(`${CLEAR_LINE}… ${step}`);
}

function explain(error: Error): string {
  const isPlain = error instanceof UsageError || error instanceof Missing;
  return isPlain ? error.message : `${error.stack ?? error.message}${causesOf(error)}`;
}

function causesOf({ cause }: Error): string {
  return cause instanceof Error ? `\n\n${cause.message}${causesOf(cause)}` : '';
}
