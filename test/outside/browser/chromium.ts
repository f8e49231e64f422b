import { type Browser, chromium } from 'playwright-core';
import { Missing } from '../../../bench/command.js';
import { findProgram, isExecutable } from '../../support/program.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Starts the Chromium that is installed, without a window. */
export async function launchChromium(env: NodeJS.ProcessEnv): Promise<Browser> {
  const isRoot = process.getuid?.() === 0; // for whom Chromium has no sandbox
  return chromium.launch({ executablePath: findChromium(env), chromiumSandbox: !isRoot });
}

/** The program that CHROMIUM_PATH names, or else the first on the PATH. */
function findChromium(env: NodeJS.ProcessEnv): string {
  const { CHROMIUM_PATH: named } = env;
  const found = named ?? NAMES.map(findProgram).find(Boolean);
  if (found !== undefined && isExecutable(found)) return found;
  throw new Missing(
    named === undefined
      ? `None of ${NAMES.join(', ')} is on the PATH. Install one (on Debian and Ubuntu: apt-get install chromium), or name its program in CHROMIUM_PATH.`
      : `CHROMIUM_PATH names ${named}, which is no program.`,
  );
}
