import ts from 'typescript';
import { isProjectFile, readProjectFile, Source } from './support/architecture/sources.js';

const FOLDERS = ['test', 'src/auth', 'src/http/json', 'src/http/fields', 'src/http/server'];
const PAGE = readProjectFile('docs/security.md');

interface Reference {
  readonly file: string;
  readonly title: string;
}

/** Every test that the page names: a file in code, and after it the titles in quotation marks. */
function referencesIn(text: string): Reference[] {
  return [...text.matchAll(/`([\w.-]+\.(?:e2e-)?spec\.ts)`((?:,? “[^”]+”)+)/g)].flatMap(([, file, titles]) =>
    [...titles!.matchAll(/“([^”]+)”/g)].map(([, title]) => ({ file: file!, title: title! })),
  );
}

/** The titles of the tests in a file, and of their groups. */
function titlesIn(file: string): string[] {
  const path = FOLDERS.map((folder) => `${folder}/${file}`).find(isProjectFile);
  if (path === undefined) return [];
  return [...new Source(path, readProjectFile(path)).nodes()].filter(ts.isCallExpression).flatMap((call) => {
    const [title] = call.arguments;
    const isTest = /^(describe|it)\b/.test(call.expression.getText());
    return isTest && title !== undefined && ts.isStringLiteralLike(title) ? [title.text] : [];
  });
}

/** The rows of the table under a heading, without its head. */
function rowsUnder(heading: string): string[][] {
  const section = PAGE.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

describe('the page about security', () => {
  const references = referencesIn(PAGE);

  it('names tests that there are', () => {
    const titles = new Map(
      [...new Set(references.map(({ file }) => file))].map((file) => [file, titlesIn(file)]),
    );
    expect(references.length).toBeGreaterThan(80);
    expect(references.filter(({ file, title }) => !titles.get(file)!.includes(title))).toEqual([]);
    // as many as there are quotation marks in the tables: none has slipped through the reader above
    const quoted = PAGE.split('\n')
      .filter((line) => line.startsWith('|'))
      .join('\n')
      .match(/“/g);
    expect(quoted).toHaveLength(references.length);
  });

  it('has all ten items of the API Security Top 10', () => {
    const items = rowsUnder('OWASP API Security Top 10 (2023)').map(([, item]) => item!.split(' ', 1)[0]);
    expect(items).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
  });

  it.each(['OWASP API Security Top 10 (2023)', 'OWASP ASVS 5.0'])(
    'shows each item of %s by a test, or calls it a gap',
    (heading) => {
      const unproven = rowsUnder(heading).filter(
        ([, , , shown = '']) => referencesIn(shown).length === 0 && !shown.startsWith('Gap'),
      );
      expect(unproven).toEqual([]);
    },
  );
});
