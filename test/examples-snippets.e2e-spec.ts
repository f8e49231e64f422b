import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { cleanup } from './support/opened.js';
import { startService } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** A block of shell commands in a Markdown file. */
interface Snippet {
  /** The line of the file that it begins at. */
  readonly line: number;
  readonly commands: string;
  /** The block of `text` right after it. */
  readonly output: string | undefined;
  /** The statuses that a comment before it announces (`<!-- answers 409 -->`); without one, all must be successes. */
  readonly announced: string | undefined;
}

const DOCUMENTED_URL = 'http://127.0.0.1:8080';
const BLOCK = /(?:^<!-- ([^\n]+) -->\n+)?^```(?:sh|bash)\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?/gms;
/** `api` and `post` are the functions of docs/api.md, which call curl. */
const RUNS = /\bcurl\b|(?:^|\(|do )(?:api|post) |\bnode (?:examples\/|scripts\/bank-import)/m;
/** Each curl prints its status; any other command that fails ends the script. */
const PRELUDE = `set -euo pipefail
curl() { command curl --max-time 60 "$@" --write-out '%{stderr}answered %{http_code}\\n' || [ $? = 22 ]; }`;
const MARK = '--- next snippet ---';

/** The shell blocks that call the service, except those after `<!-- not run -->`. */
function snippetsIn(markdown: string): Snippet[] {
  return [...markdown.matchAll(BLOCK)].flatMap((match) => {
    const [block, comment = '', commands = '', output] = match;
    if (!RUNS.test(commands) || comment === 'not run') return [];
    const before = markdown.slice(0, match.index + block.indexOf('```'));
    const announced = /^answers ([\d ]+)$/.exec(comment)?.[1];
    return [{ line: before.split('\n').length, commands, output, announced }];
  });
}

/** Runs the snippets in one shell with a new home: their outputs, and the statuses of their calls of curl. */
async function runSnippets(snippets: readonly Snippet[], url: string): Promise<[string, string[]][]> {
  const parts = snippets.flatMap(({ commands }) => [`echo '${MARK}'; echo '${MARK}' >&2`, commands]);
  const script = [PRELUDE, ...parts].join('\n').replaceAll(DOCUMENTED_URL, url);
  const home = temporaryFolder(cleanup, 'home');
  const env = { PATH: process.env['PATH'], HOME: home, PROPERTY_FINANCE_URL: url };
  const options = { env, timeout: 80_000 };
  const run = promisify(execFile)('bash', ['--norc', '-c', script], options);
  const { stdout, stderr } = await run.catch((error: unknown) => {
    throw new Error(`the shell failed:\n${(error as { stdout: string }).stdout}`, { cause: error });
  });
  const [outputs = [], notes = []] = [stdout, stderr].map((text) => text.split(`${MARK}\n`).slice(1));
  return outputs.map((output, index) => [
    output.replaceAll('\r\n', '\n'),
    [...notes[index]!.matchAll(/^answered (\d{3})$/gm)].map(([, status = '']) => status),
  ]);
}

const DOCUMENTS = readdirSync('docs').filter((name) => name.endsWith('.md'));
const PAGES = [
  'README.md',
  'examples/README.md',
  'clients/bank-import/README.md',
  ...DOCUMENTS.map((name) => `docs/${name}`),
]
  .map((file) => [file, snippetsIn(readFileSync(file, 'utf8'))] as const)
  .filter(([, snippets]) => snippets.length > 0);

it.each(PAGES)('the commands in %s work when they are pasted one after the other', async (_, snippets) => {
  const { url } = await startService();
  const results = (await runSnippets(snippets, url)).map(([printed, statuses], index) => {
    const { line, announced, output } = snippets[index]!;
    const isSuccess = announced === undefined && statuses.every((status) => status.startsWith('2'));
    const responses = isSuccess ? undefined : statuses.join(' ');
    return { line, responses, output: output === undefined ? undefined : printed };
  });
  expect(results).toEqual(
    snippets.map(({ line, announced, output }) => ({ line, responses: announced, output })),
  );
});
