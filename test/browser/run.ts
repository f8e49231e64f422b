import { parseArgs } from 'node:util';
import { startOwnService } from '../support/own-service.js';
import { type Check, Difference, World } from './check.js';
import { ACCOUNT_CHECKS } from './checks/account.js';
import { OPERATION_CHECKS } from './checks/operations.js';
import { READING_CHECKS } from './checks/reading.js';
import { launchChromium, NoChromium } from './chromium.js';
import { takeScreenshots } from './screenshots.js';

const HELP = `Usage: npm run test:browser -- [options]

Visits the reference page of a real service, with a PostgreSQL of its own, in a real Chromium without a window. It is
the one that CHROMIUM_PATH names, or chromium, chromium-browser or google-chrome on the PATH.

  --screenshots DIR   write pictures of the page, in light and dark, wide and on a phone
  --only TEXT         only the checks with this in their name
  --help, -h          this

Example: npm run test:browser -- --screenshots pictures

Exit codes: 0 the page is as it should be, 1 it is not, or there is no Chromium, 2 called wrongly.
`;

const OPTIONS = {
  screenshots: { type: 'string' },
  only: { type: 'string', default: '' },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

const CHECKS: readonly Check[] = [...OPERATION_CHECKS, ...ACCOUNT_CHECKS, ...READING_CHECKS];

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Undefined when the command line cannot be understood. */
function readOptions(args: string[]): Options | undefined {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n"npm run test:browser -- --help" says more.\n`);
    return undefined;
  }
}

/** The exit status: 0 when the page is as it should be. */
async function main(args: string[]): Promise<number> {
  const values = readOptions(args);
  if (values === undefined) return 2;
  if (values.help) {
    print(HELP);
    return 0;
  }
  const browser = await launchChromium(process.env);
  const service = await startOwnService({ API_DOCS: 'true' });
  try {
    const world = new World(service, browser);
    const checks = CHECKS.filter(({ name }) => name.includes(values.only));
    let failures = 0;
    for (const check of checks) if (!(await passes(check, world))) failures++;
    if (values.screenshots !== undefined)
      for (const file of await takeScreenshots(world, values.screenshots)) print(`${file}\n`);
    print(`\n${checks.length - failures} of ${checks.length} checks passed.\n`);
    return failures === 0 && checks.length > 0 ? 0 : 1;
  } finally {
    await browser.close();
    await service.stop();
  }
}

async function passes({ name, run }: Check, world: World): Promise<boolean> {
  const begin = performance.now();
  const failure = await run(world)
    .then(() => world.leave())
    .then(
      () => undefined,
      (error: unknown) => error as Error,
    );
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  print(`${failure === undefined ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)\n`);
  if (failure === undefined) return true;
  print(`        ${failure instanceof Difference ? failure.message : (failure.stack ?? failure.message)}\n`);
  await world.leave().catch(() => undefined);
  return false;
}

function print(text: string): void {
  process.stdout.write(text);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`${error instanceof NoChromium ? error.message : (error as Error).stack}\n`);
}
