/** How the tool speaks with the world around it. */
export interface Io {
  /** One line of what was asked for. */
  out(line: string): void;
  /** One line about how it went. */
  err(line: string): void;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** Aborted when the tool shall stop. */
  readonly stop: AbortSignal;
}

const INTERRUPTED = 130;
/** Under npm one Ctrl-C arrives twice: from the terminal, and from npm, which passes it on. Milliseconds. */
const ECHO_TIME = 500;

/** The process's own. The first signal asks the tool to stop, the next one ends it. */
export function processIo(): Io {
  const controller = new AbortController();
  let asked = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!controller.signal.aborted) asked = Date.now();
      else if (Date.now() - asked > ECHO_TIME) process.exit(INTERRUPTED);
      controller.abort();
    });
  }
  process.stdout.on('error', () => process.exit()); // whoever read it has heard enough
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    stdin: process.stdin,
    stop: controller.signal,
  };
}

/** What an account is called can hold anything, also what a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
