import { runCli } from '../../src/cli/run.js';

export interface CliResult {
  readonly exitCode: number;
  /** What it printed on standard output, line by line. */
  readonly out: readonly string[];
  readonly err: readonly string[];
}

export interface CliOptions {
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  readonly stop?: AbortSignal;
  readonly dataFolder?: string;
  readonly isBuilt?: () => boolean;
}

/** Runs the command-line tool in this process. */
export async function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { env = {}, stdin = '', stop = new AbortController().signal } = options;
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => void out.push(...line.split('\n')),
    err: (line: string) => void err.push(...line.split('\n')),
    status: () => undefined,
    paint: (_: string, text: string) => text,
    stdin: asStream(stdin),
    stop,
  };
  const folder = options.dataFolder ?? '/nonexistent';
  const exitCode = await runCli(argv, io, { ...env }, folder, options.isBuilt);
  return { exitCode, out, err };
}

async function* asStream(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
