import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Interrupted } from './errors.js';

export interface AskOptions {
  /** What is typed is not shown. */
  readonly hidden?: boolean;
  /** Aborted when nobody is to be asked any more. */
  readonly stop?: AbortSignal;
}

/** One line that somebody types. Throws {@link Interrupted} on Ctrl-C, Ctrl-D and when it is stopped. */
export async function ask(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  question: string,
  { hidden = false, stop }: AskOptions = {},
): Promise<string> {
  const shown = new Writable({
    write: (chunk: Buffer, _, done) => {
      if (!hidden) output.write(chunk);
      done();
    },
  });
  // In the mode for terminals it reads keys, and the terminal itself echoes none.
  const lines = createInterface({ input, output: shown, terminal: true, historySize: 0, prompt: '' });
  output.write(question); // only now: who answers in no time is not shown either
  try {
    return await new Promise((resolve, reject) => {
      const interrupt = (): void => reject(new Interrupted('Interrupted: nothing was changed.'));
      lines.once('line', resolve).once('SIGINT', interrupt).once('close', interrupt);
      stop?.addEventListener('abort', interrupt, { once: true });
    });
  } finally {
    lines.close();
    if (hidden) output.write('\n');
  }
}
