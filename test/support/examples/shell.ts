import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { opened } from '../opened.js';
import { temporaryFolder } from '../temporary-folder.js';

/** A block of shell commands in a Markdown file. */
export interface Snippet {
  /** The line of the file that it begins at. */
  readonly line: number;
  readonly commands: string;
  /** The expected output: the block of `text` right after it. */
  readonly output: string | undefined;
  /** The statuses that a comment before it announces (`<!-- answers 409 -->`); without one, all must be successes. */
  readonly announced: readonly number[] | undefined;
}

export interface Outcome {
  /** The statuses of its calls of curl. */
  readonly statuses: readonly number[];
  readonly output: string;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DOCUMENTED_URL = 'http://127.0.0.1:8080';
const BLOCK = /(?:^<!-- ([^\n]+) -->\n+)?^```(?:sh|bash)\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?/gms;
/** `api` and `post` are the functions of docs/api.md, which call curl. */
const RUNS = /\bcurl\b|(?:^|\(|do )(?:api|post) |\bnode examples\//m;
const PATIENCE = 80_000;
const execute = promisify(execFile);

/** The shell blocks that call the service, except those after `<!-- not run -->`. */
export function snippetsIn(markdown: string): Snippet[] {
  return [...markdown.matchAll(BLOCK)].flatMap((match) => {
    const [block, comment = '', commands = '', output] = match;
    if (!RUNS.test(commands) || comment === 'not run') return [];
    const before = markdown.slice(0, match.index + block.indexOf('```'));
    const announced = /^answers((?: \d{3})+)$/.exec(comment)?.[1]?.trim().split(' ').map(Number);
    return [{ line: before.split('\n').length, commands, output, announced }];
  });
}

/** Each curl prints its status; any other command that fails ends the script. */
const PRELUDE = `set -euo pipefail
curl() { command curl --max-time 60 "$@" --write-out '%{stderr}answered %{http_code}\\n' || [ $? = 22 ]; }`;
const MARK = '--- next snippet ---';

/** Runs the snippets in one shell, as a reader pastes them one after the other, against this service. Their home is a new folder. */
export async function runSnippets(snippets: readonly Snippet[], url: string): Promise<Outcome[]> {
  const parts = snippets.flatMap(({ commands }) => [`echo '${MARK}'; echo '${MARK}' >&2`, commands]);
  const script = [PRELUDE, ...parts].join('\n').replaceAll(DOCUMENTED_URL, url);
  const home = temporaryFolder({ defer: opened }, 'home');
  const env = { PATH: process.env['PATH'], HOME: home, PROPERTY_FINANCE_URL: url };
  const { stdout, stderr } = await execute('bash', ['--norc', '-c', script], {
    cwd: ROOT,
    env,
    timeout: PATIENCE,
  }).catch((error: unknown) => {
    throw new Error(`the shell failed:\n${(error as { stdout: string }).stdout}`, { cause: error });
  });
  const [outputs, notes] = [stdout, stderr].map((text) => text.split(`${MARK}\n`).slice(1));
  return snippets.map((_, index) => ({
    output: outputs![index]!.replaceAll('\r\n', '\n'),
    statuses: [...notes![index]!.matchAll(/^answered (\d{3})$/gm)].map(([, status]) => Number(status)),
  }));
}
