import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/run.js';

export interface CliResult {
  readonly exitCode: number;
  /** The lines on standard output. */
  readonly out: readonly string[];
  readonly err: readonly string[];
}

export interface CliOptions {
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  readonly stop?: AbortSignal;
  /** Receives each line of standard error at once. */
  readonly onErr?: (line: string) => void;
  readonly dataFolder?: string;
}

/** Runs the command-line tool in this process. */
export async function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { env = {}, stdin = '', stop = new AbortController().signal, dataFolder = '/nonexistent' } = options;
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    out: (line: string) => void out.push(...line.split('\n')),
    err: (line: string) => {
      err.push(...line.split('\n'));
      options.onErr?.(line);
    },
    stdin: Readable.from([stdin]),
    stop,
  };
  return { exitCode: await runCli(argv, io, { ...env }, dataFolder), out, err };
}
