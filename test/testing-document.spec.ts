import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { load } from 'js-yaml';

interface Workflow {
  readonly jobs: {
    readonly tests: { readonly steps: readonly { readonly run?: string }[] };
    readonly suites: {
      readonly strategy: { readonly matrix: { readonly include: readonly { readonly run: string }[] } };
    };
  };
}

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const { jobs } = load(readFileSync('.github/workflows/nightly.yml', 'utf8')) as Workflow;

/** Each suite of the table, and when it runs. */
const suites = Array.from(
  readFileSync('docs/testing.md', 'utf8').matchAll(/^\| `(\S+)` .*\| ([^|]+?) +\|$/gm),
  ([, name, when]) => [name!, when!] as const,
);

describe('docs/testing.md', () => {
  it('lists each test script of package.json once, and no other', () => {
    const named = suites.map(([name]) => name).sort();
    expect(named).toEqual(
      Object.keys(scripts)
        .filter((name) => /^(test|fuzz)/.test(name))
        .sort(),
    );
  });

  it('says "nightly" of the suites that the workflow runs, and of no other', () => {
    const started = [
      ...jobs.tests.steps.map(({ run = '' }) => /^npm (?:run )?(test) /.exec(run)?.[1] ?? ''),
      ...jobs.suites.strategy.matrix.include.map(({ run }) => run.split(' ', 1)[0]!),
    ].filter(Boolean);
    const named = suites.filter(([, when]) => when.includes('nightly')).map(([name]) => name);
    expect(named.sort()).toEqual([...new Set(started)].sort());
  });
});

it('docs/security.md names only test files that exist', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => basename(path)),
  );
  const text = readFileSync('docs/security.md', 'utf8');
  const named = Array.from(text.matchAll(/`([\w-]+\.(?:e2e-)?spec\.ts)`/g), ([, name]) => name!);
  expect(named).not.toEqual([]);
  expect(named.filter((name) => !files.includes(name))).toEqual([]);
});
