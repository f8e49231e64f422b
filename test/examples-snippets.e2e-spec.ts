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

it('the commands are found with what they print, and with the statuses that are announced', () => {
  const found = PAGES.flatMap(([, snippets]) => snippets);
  expect(found.some(({ output }) => output !== undefined)).toBe(true);
  expect(found.some(({ announced }) => announced !== undefined)).toBe(true);
});

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
