import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { progress } from '../../../bench/command.js';
import { list, UsageError } from '../../../bench/options.js';
import type { Criterion } from '../../faults/protocol.js';
import { cache, runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import { startOwnService } from '../../support/own-service.js';
import { Commands } from '../../support/commands.js';
import { type Generator, GENERATORS } from './generators.js';

const NAMES = GENERATORS.map(({ name }) => name);

async function judge(
  generator: Generator,
  commands: Commands,
  cached: string,
  url: string,
): Promise<Criterion> {
  const { name, needs, run } = generator;
  const folder = join(cached, 'work', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    await commands.require(needs, '');
    const said = await run({ commands, cache: cached, folder, visitor: [url, name] });
    return criterion(name, true, `compiles, tour taken, warnings: ${warningsIn(said) || 'none'}`);
  } catch (error) {
    return criterion(name, false, (error as Error).message);
  }
}

/** Without the place and time before each. */
function warningsIn(said: string): string {
  const lines = said.split('\n').filter((line) => /\bwarn(ing)?\b/i.test(line));
  return tally(lines.map((line) => line.replace(/^.*?\b(?=warn)/i, '').trim()));
}

await runCriteria({
  call: 'npm run test:generators',
  about:
    'Lets generators of clients read openapi.json, compiles what they make, and takes a tour with each: sign up, sign ' +
    'in, create a property and a transaction, list, import and export a file, and read a refusal. Counts and shows their warnings. Python 3.11, ' +
    'Go, Java 11 and Maven have to be there; the generators come from PyPI, Maven Central and the Go module proxy.',
  options: {
    only: list('NAME', `these (${NAMES.join(', ')})`),
    cache: cache('generators', 'the generators and their work'),
  },
  example: '--only openapi-typescript,oapi-codegen',
  async run({ only, cache: folder }, cleanup, tell) {
    const unknown = only.filter((name) => !NAMES.includes(name));
    if (unknown.length > 0) throw new UsageError(`--only knows ${NAMES.join(', ')}`);
    const { url } = await startOwnService(cleanup);
    const commands = new Commands(cleanup);
    for (const generator of GENERATORS.filter(({ name }) => only.length === 0 || only.includes(name))) {
      progress(generator.name);
      tell([await judge(generator, commands, folder, url)]);
    }
  },
});
