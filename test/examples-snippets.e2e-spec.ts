import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runSnippets, snippetsIn } from './support/examples/shell.js';
import { type Service, startService } from './support/service.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PAGES = ['README.md', 'examples/README.md', ...markdownIn('docs')].map(
  (file) => [file, snippetsIn(readFileSync(`${ROOT}${file}`, 'utf8'))] as const,
);

function markdownIn(folder: string): string[] {
  return readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

describe.each(PAGES.filter(([, snippets]) => snippets.length > 0))('the commands in %s', (_, snippets) => {
  let service: Service;

  beforeAll(async () => (service = await startService()));

  it('work when they are pasted one after the other', async () => {
    const outcomes = await runSnippets(snippets, service.url);
    const told = outcomes.map(({ statuses, output }, index) => {
      const { line, announced, output: shown } = snippets[index]!;
      const isAsSaid = announced?.join() === statuses.join() || (!announced && statuses.every(isSuccess));
      return {
        line,
        answers: isAsSaid ? 'as said' : statuses,
        output: shown === undefined ? undefined : output,
      };
    });
    expect(told).toEqual(snippets.map(({ line, output }) => ({ line, answers: 'as said', output })));
  });
});

describe('a page with commands', () => {
  const page = [
    'Text `curl`.',
    '```sh\nnpm run quickstart\n```',
    '```sh\ncurl -s http://127.0.0.1:8080/actuator/health\n```\n\n```text\n{"status":"UP"}\n```',
    '<!-- not run -->\n\n```bash\ncurl http://example.com\n```',
    '<!-- answers 401 403 -->\n```bash\nA=$(curl -f x)\ncurl y\n```\n```json\n{}\n```',
    '```json\n{ "curl": 1 }\n```',
  ].join('\n\n');

  it('is read block by block', () => {
    expect(snippetsIn(page)).toEqual([
      {
        line: 7,
        commands: 'curl -s http://127.0.0.1:8080/actuator/health\n',
        output: '{"status":"UP"}\n',
        announced: undefined,
      },
      { line: 22, commands: 'A=$(curl -f x)\ncurl y\n', output: undefined, announced: [401, 403] },
    ]);
  });
});

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
