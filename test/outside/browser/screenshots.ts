import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import type { World } from './check.js';
import type { ReferencePage } from './reference-page.js';
import { DESKTOP, PHONE } from './visit.js';

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { ...DESKTOP, colorScheme: 'light' },
  dark: { ...DESKTOP, colorScheme: 'dark' },
  phone: { ...PHONE, colorScheme: 'light' },
  'phone-dark': { ...PHONE, colorScheme: 'dark' },
};

const SCENES: Readonly<Record<string, (page: ReferencePage) => Promise<void>>> = {
  start: () => Promise.resolve(),
  operation: (page) => lookAt(page, '#createTransaction'),
  fields: (page) => lookAt(page, '#createTransaction .meaning'),
  answer: async (page) => {
    await page.operation('createProperty').execute();
  },
  problem: async (page) => {
    await page.operation('createProperty').execute({ body: '{ "name": 7, "maxGuests": 0 }' });
  },
};

/** Takes a picture of each scene in each look, to be seen by a person. */
export async function takeScreenshots(world: World, folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  for (const [look, options] of Object.entries(LOOKS)) {
    for (const [scene, show] of Object.entries(SCENES)) {
      const page = await (scene === 'start' ? world.open(options) : world.openSignedIn(options));
      await show(page);
      const path = join(folder, `${scene}-${look}.png`);
      await page.visit.page.screenshot({ path });
      await world.leave();
      files.push(path);
    }
  }
  return files;
}

/** Takes the picture of README.md: a report of what was recorded on the page. */
export async function takePicture(world: World, path: string): Promise<void> {
  const page = await world.openSignedIn({ viewport: { width: 1240, height: 590 }, colorScheme: 'light' });
  await page.operation('createProperty').execute();
  await page.operation('createTransaction').execute();
  await page.operation('getProfitAndLoss').execute();
  await lookAt(page, '#getProfitAndLoss');
  await page.visit.page.screenshot({ path });
  await world.leave();
}

async function lookAt({ visit }: ReferencePage, selector: string): Promise<void> {
  await visit.read(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView()`);
}
