import { Cleanup } from './cleanup.js';

/** The command line cannot be understood, or asks for what there is not. */
export class UsageError extends Error {}

/** What the command needs is not on this machine. The message says how to get it. */
export class Missing extends Error {}

/**
 * Runs a command to its end, and undoes what it has deferred to the {@link Cleanup}, whatever happens. Its exit code is
 * what `main` returns, 1 when that fails, 2 when it was called wrongly and 130 when it was interrupted. `call` is how
 * it is called.
 */
export async function runCommand(
  call: string,
  main: (args: string[], cleanup: Cleanup) => Promise<number>,
): Promise<void> {
  const cleanup = new Cleanup();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      void cleanup.run().finally(() => process.exit(130));
    });
  }
  try {
    process.exitCode = await main(process.argv.slice(2), cleanup);
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    // After an interruption everything fails, and that says nothing.
    if (!cleanup.begun) process.stderr.write(`${explain(error as Error, call)}\n`);
  } finally {
    await cleanup.run();
  }
}

function explain(error: Error, call: string): string {
  if (error instanceof UsageError) return `${error.message}\n"${call} -- --help" says more.`;
  return error instanceof Missing ? error.message : (error.stack ?? error.message);
}
