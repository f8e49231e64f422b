import { Missing, runCommand } from '../../../bench/command.js';
import { text } from '../../../bench/options.js';
import { startOwnService } from '../../support/own-service.js';
import { findProgram, Program } from '../../support/program.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

await runCommand({
  call: 'npm run test:browser',
  about:
    'Runs the tests of the reference page with Playwright, on a real service, in the Chromium that CHROMIUM_PATH names, ' +
    `or ${NAMES.join(', ')} on the PATH.`,
  options: {
    only: text('TEXT', 'only the tests with this in their name'),
    picture: text('FILE', 'only write the picture of README.md, docs/reference-page.png'),
  },
  async run({ only, picture }, cleanup) {
    const chromium = process.env['CHROMIUM_PATH'] ?? NAMES.map(findProgram).find(Boolean);
    if (chromium === undefined)
      throw new Missing(
        'There is no Chromium. On Debian: apt-get install chromium, or name it in CHROMIUM_PATH',
      );
    const { url, settings } = await startOwnService(cleanup, { API_DOCS: 'true' });
    const filter = picture === undefined ? only : 'the picture of README.md';
    const filters = filter === undefined ? [] : ['-g', filter];
    const args = ['test', '--config', 'test/outside/browser', ...filters];
    const variables = { CHROMIUM_PATH: chromium, SERVICE_URL: url, DATABASE_URL: settings.database.url };
    const playwright = new Program(cleanup, ['node_modules/.bin/playwright', ...args], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...variables, ...(picture !== undefined && { PICTURE: picture }) },
    });
    return (await playwright.exited) === 0 ? 0 : 1;
  },
});
