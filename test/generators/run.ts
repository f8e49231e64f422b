import { mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { print, progress, runCommand } from '../../bench/command.js';
import { list, text, UsageError } from '../../bench/options.js';
import { startOwnService } from '../support/own-service.js';
import { Commands } from '../support/commands.js';
import { type Generator, GENERATORS } from './generators.js';

const CACHE = join(homedir(), '.cache', 'property-finance-generators');
const NAMES = GENERATORS.map(({ name }) => name);

type Verdict = readonly [passed: boolean, told: string];

async function missing({ needs }: Generator, commands: Commands): Promise<string[]> {
  const lacking: string[] = [];
  for (const [program, ...args] of needs)
    await commands.run(program, args, { cwd: '.' }).catch(() => lacking.push(program));
  return lacking;
}

async function judge(generator: Generator, commands: Commands, cache: string, url: string): Promise<Verdict> {
  const lacking = await missing(generator, commands);
  if (lacking.length > 0) return [false, `not on this machine: ${lacking.join(', ')}`];
  const folder = join(cache, 'work', generator.name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    const said = await generator.run({ commands, cache, folder, visitor: [url, generator.name] });
    const warnings = said.split('\n').filter((line) => /\bwarn(ing)?\b/i.test(line));
    return [true, [`compiles, tour taken, ${warnings.length} warnings`, ...counted(warnings)].join('\n    ')];
  } catch (error) {
    return [false, (error as Error).message];
  }
}

/** Each warning once, without the place and time before it, and how often it came. */
function counted(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const message = line.replace(/^.*?\b(?=warn)/i, '').trim();
    counts.set(message, (counts.get(message) ?? 0) + 1);
  }
  return [...counts].map(([message, count]) => `${count} × ${message}`);
}

await runCommand({
  call: 'npm run test:generators',
  about:
    'Lets generators of clients read openapi.json, compiles what they make, and takes a tour with each: sign up, sign ' +
    'in, create a property and a transaction, list, import and export a file, and read a refusal. Counts and shows their warnings. Python 3.11, ' +
    'Go, Java 11 and Maven have to be there; the generators come from PyPI, Maven Central and the Go module proxy.',
  options: {
    only: list('NAME', `these (${NAMES.join(', ')})`),
    cache: text('DIR', `where the generators and their work go (${CACHE})`),
  },
  example: '--only openapi-typescript,oapi-codegen',
  success: 'all clients compiled and came round',
  failure: 'one did not, or what it needs is missing',
  async run({ only, cache: folder = CACHE }, cleanup) {
    const unknown = only.filter((name) => !NAMES.includes(name));
    if (unknown.length > 0) throw new UsageError(`--only knows ${NAMES.join(', ')}`);
    const cache = resolve(folder);
    await mkdir(cache, { recursive: true });
    const { url } = await startOwnService(cleanup);
    const commands = new Commands(cleanup);
    let all = true;
    for (const generator of GENERATORS.filter(({ name }) => only.length === 0 || only.includes(name))) {
      progress(generator.name);
      const [passed, told] = await judge(generator, commands, cache, url);
      print(`${passed ? '✓' : '✗'} ${generator.name}: ${told}\n`);
      all &&= passed && !cleanup.begun;
    }
    return all ? 0 : 1;
  },
});
