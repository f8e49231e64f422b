import { print, runCommand } from '../../../bench/command.js';
import { text } from '../../../bench/options.js';
import { startOwnService } from '../../support/own-service.js';
import { type Check, Difference, World } from './check.js';
import { ACCOUNT_CHECKS } from './checks/account.js';
import { FRONT_DOOR_CHECKS } from './checks/front-door.js';
import { OPERATION_CHECKS } from './checks/operations.js';
import { READING_CHECKS } from './checks/reading.js';
import { launchChromium } from './chromium.js';
import { takePicture, takeScreenshots } from './screenshots.js';

const CHECKS: readonly Check[] = [
  ...FRONT_DOOR_CHECKS,
  ...OPERATION_CHECKS,
  ...ACCOUNT_CHECKS,
  ...READING_CHECKS,
];

await runCommand({
  call: 'npm run test:browser',
  about:
    'Visits the reference page of a real service, with a PostgreSQL of its own, in a real Chromium without a window. ' +
    'It is the one that CHROMIUM_PATH names, or chromium, chromium-browser or google-chrome on the PATH.',
  options: {
    screenshots: text('DIR', 'write pictures of the page, in light and dark, wide and on a phone'),
    picture: text('FILE', 'write the picture of README.md, docs/reference-page.png'),
    only: text('TEXT', 'only the checks with this in their name'),
  },
  example: '--screenshots pictures',
  success: 'the page is as it should be',
  failure: 'it is not, or there is no Chromium',
  async run({ screenshots, picture, only = '' }, cleanup) {
    const browser = await launchChromium(process.env);
    cleanup.defer(() => browser.close());
    const world = new World(await startOwnService(cleanup, { API_DOCS: 'true' }), browser);
    const checks = CHECKS.filter(({ name }) => name.includes(only));
    let failures = 0;
    for (const check of checks) if (!(await passes(check, world))) failures++;
    if (screenshots !== undefined)
      for (const file of await takeScreenshots(world, screenshots)) print(`${file}\n`);
    if (picture !== undefined) await takePicture(world, picture);
    print(`\n${checks.length - failures} of ${checks.length} checks passed.\n`);
    return failures === 0 && checks.length > 0 ? 0 : 1;
  },
});

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
