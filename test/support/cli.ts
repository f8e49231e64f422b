import { runCli } from '../../src/cli/run.js';
import { TEST_SECRET } from './settings.js';

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
  /** What somebody at a terminal types when asked; without them nobody is there. */
  readonly answers?: readonly string[];
  /** Told each line on standard error as it comes. */
  readonly onErr?: (line: string) => void;
  readonly dataFolder?: string;
}

/** What the commands have to know of this database. */
export function environmentFor(url: string): Record<string, string> {
  return { DB_URL: url, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET, HOST: '127.0.0.1', PORT: '0' };
}

/** Runs the command-line tool in this process. */
export async function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { env = {}, stdin = '', stop = new AbortController().signal } = options;
  const out: string[] = [];
  const err: string[] = [];
  const answers = [...(options.answers ?? [])];
  const io = {
    out: (line: string) => void out.push(...line.split('\n')),
    err: (line: string) => {
      err.push(...line.split('\n'));
      options.onErr?.(line);
    },
    isTerminal: options.answers !== undefined,
    ask: (question: string, { hidden = false } = {}) => {
      out.push(`${question}${hidden ? '(hidden)' : ''}`);
      return Promise.resolve(answers.shift() ?? '');
    },
    paint: (_: string, text: string) => text,
    stdin: asStream(stdin),
    stop,
  };
  const folder = options.dataFolder ?? '/nonexistent';
  const exitCode = await runCli(argv, io, { ...env }, folder);
  return { exitCode, out, err };
}

async function* asStream(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
