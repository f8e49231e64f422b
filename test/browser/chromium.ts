import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { Missing } from '../../bench/command.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Starts the Chromium that is installed, without a window. */
export async function launchChromium(env: NodeJS.ProcessEnv): Promise<Browser> {
  const isRoot = process.getuid?.() === 0; // for whom Chromium has no sandbox
  return chromium.launch({ executablePath: findChromium(env), chromiumSandbox: !isRoot });
}

/** The program that CHROMIUM_PATH names, or else the first on the PATH. */
function findChromium(env: NodeJS.ProcessEnv): string {
  const { CHROMIUM_PATH: named, PATH: path = '' } = env;
  const onPath = NAMES.flatMap((name) => path.split(delimiter).map((folder) => join(folder, name)));
  const found = (named === undefined ? onPath : [named]).find(isProgram);
  if (found !== undefined) return found;
  throw new Missing(
    named === undefined
      ? `None of ${NAMES.join(', ')} is on the PATH. Install one (on Debian and Ubuntu: apt-get install chromium), or name its program in CHROMIUM_PATH.`
      : `CHROMIUM_PATH names ${named}, which is no program.`,
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
