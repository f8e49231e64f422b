import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { createProgram } from '../src/cli/run.js';
import type { Session } from '../src/cli/session.js';
import { MAX_HEAD_SIZE, MAX_URI_LENGTH } from '../src/http/refusals.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../src/common/paging/page.js';
import { MAX_FIELD_ERRORS, PROBLEMS } from '../src/common/problems/problem.js';
import { MAX_OCCURRENCES, MAX_VENDORS } from '../src/reports/cash-flow.js';
import { MAX_PROPERTIES, scheduleELines } from '../src/reports/tax-year.js';
import { MAX_GROUPS } from '../src/reports/profit-and-loss.js';
import { MAX_ROW_BY_ROW } from '../src/transactions/search.js';
import { MAX_FINDINGS } from '../src/transfers/dto/imports.response.js';
import { PROTOCOLS } from './faults/protocols/all.js';

interface Workflow {
  readonly jobs: {
    readonly tests: { readonly steps: { readonly run?: string }[] };
    readonly suites: { readonly strategy: { readonly matrix: { readonly include: { run: string }[] } } };
  };
}

const COMMANDS = createProgram({ io: {} } as Session).commands.flatMap((command) =>
  command.commands.length === 0
    ? command.name()
    : command.commands.map((inner) => `${command.name()} ${inner.name()}`),
);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const { jobs } = load(readFileSync('.github/workflows/nightly.yml', 'utf8')) as Workflow;

/** Each suite of the table, and when it runs. */
const suites = Array.from(
  readFileSync('docs/testing.md', 'utf8').matchAll(/^\| `(\S+)` .*\| ([^|]+?) +\|$/gm),
  ([, name, when]) => [name!, when!] as const,
);

describe('docs/testing.md', () => {
  it('lists each test script of package.json once, and no other', () => {
    const wanted = Object.keys(scripts).filter((name) => /^(test|fuzz)/.test(name));
    expect(suites.map(([name]) => name).sort()).toEqual(wanted.sort());
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

/** Each document → its text. */
const DOCUMENTS = new Map(
  ['.', 'docs', 'deploy', 'examples', 'clients'].flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => join(folder, name))
      .map((path) => [path, readFileSync(path, 'utf8')] as const),
  ),
);
const NAMES = new Set(
  ['src', 'test', 'scripts', 'bench', 'deploy', 'examples', 'clients', 'migrations'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => basename(path)),
  ),
);

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(path: string): string[] {
  const headings = (DOCUMENTS.get(path) ?? '').replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, title]) =>
    title!
      .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isFound(from: string, target: string): boolean {
  const [file = '', anchor] = decodeURI(target).split('#');
  const path = file === '' ? from : join(dirname(from), file);
  return existsSync(path) && (anchor === undefined || anchorsOf(path).includes(anchor));
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, match]) => match!);
}

describe.each([...DOCUMENTS])('%s', (path, text) => {
  it('links to files and headings that exist', () => {
    const targets = matches(text, /\]\(([^)\s]+)\)/g).filter((target) => !/^https?:/.test(target));
    expect(targets.filter((target) => !isFound(path, target))).toEqual([]);
  });

  it('quotes files that exist', () => {
    const paths = matches(
      text,
      /`((?:\.github|src|test|docs|deploy|scripts|bench|clients|examples|migrations)\/[\w./-]*)`/g,
    );
    const names = matches(text, /`(\w[\w.-]*\.(?:ts|mjs|cjs|css|js))`/g);
    const missing = [
      ...paths.filter((quoted) => !existsSync(quoted) && !existsSync(join(dirname(path), quoted))),
      ...names.filter((name) => !NAMES.has(name) && !existsSync(name)),
    ];
    expect(missing).toEqual([]);
  });

  it('quotes npm scripts and commands that exist', () => {
    const started = matches(text, /npm run (?:--silent )?([\w:-]+)/g);
    expect(started.filter((name) => scripts[name] === undefined)).toEqual([]);
    const commands = matches(text, /npm run cli -- ((?:db |user |token )?[a-z][a-z-]*)/g);
    expect(commands.filter((command) => !COMMANDS.includes(command))).toEqual([]);
  });
});

it('docs/operations.md lists each setting with its default', () => {
  const table = matches(DOCUMENTS.get('docs/operations.md')!, /^(\| `[A-Z_]+`.*)$/gm);
  const listed = table.flatMap((row) => {
    const [, names, value] = row.split('|');
    return matches(names!, /`([A-Z_]+)`/g).map((name) => [name, /`(.*)`/.exec(value!)?.[1] ?? '']);
  });
  const example = readFileSync('.env.example', 'utf8').matchAll(/^# ([A-Z_]+)=(.*)$/gm);
  const known = Array.from(example, ([, name, value]) => [name, value]);
  expect(listed.sort()).toEqual(known.sort());
});

it('docs/reliability.md lists each fault protocol', () => {
  const rows = matches(DOCUMENTS.get('docs/reliability.md')!, /^\| (`[^|]+)\|/gm);
  const listed = rows.flatMap((row) => matches(row, /`([a-z-]+)`/g));
  expect(listed).toEqual(expect.arrayContaining(PROTOCOLS.map(({ name }) => name)));
});

const figure = (value: number): string => value.toLocaleString('en');

it.each([
  ['docs/api.md', `(${DEFAULT_PAGE_SIZE}; at most ${MAX_PAGE_SIZE})`],
  ['docs/api.md', `names up to ${MAX_FIELD_ERRORS} faulty fields`],
  ['docs/api.md', `URL over ${figure(MAX_URI_LENGTH)} characters`],
  ['docs/api.md', `headers over ${figure(MAX_HEAD_SIZE)} bytes`],
  ['docs/api.md', `the first ${MAX_FINDINGS} \`findings\``],
  ['docs/api.md', `At most ${figure(MAX_GROUPS)} groups`],
  ['docs/api.md', `At most ${MAX_PROPERTIES} properties`],
  ['docs/api.md', `More than ${figure(MAX_VENDORS)} days and vendors or ${figure(MAX_OCCURRENCES)} occ`],
  ['docs/performance.md', `owners of up to ${figure(MAX_ROW_BY_ROW)} rows`],
  ['docs/reliability.md', `the gate: ${PROTOCOLS.filter(({ nightly }) => !nightly).length} protocols`],
])('%s says "%s", as the code does', (path, words) => {
  expect(DOCUMENTS.get(path)!.replaceAll(/\s+/g, ' ')).toContain(words);
});

describe('docs/api.md', () => {
  const api = DOCUMENTS.get('docs/api.md')!;

  it('lists each problem with its status', () => {
    const rows = api.matchAll(/^\| ([a-z-]+) +\| (\d{3}) /gm);
    const wanted = Object.entries(PROBLEMS).map(([slug, { status }]) => [slug, String(status)]);
    expect(Array.from(rows, ([, slug, status]) => [slug, status])).toEqual(wanted);
  });

  it('lists the categories of each line of Schedule E', () => {
    const rows = api.matchAll(/^\| (\d+|`apart`) +\| ([A-Z_, ()a-z]+?) +\|$/gm);
    const lines = Array.from(rows, ([, line, categories]) =>
      matches(categories!, /([A-Z_]{4,})/g).map((category) => [category, line === '`apart`' ? null : +line!]),
    );
    expect(Object.fromEntries(lines.flat())).toEqual(scheduleELines('{}'));
  });
});
