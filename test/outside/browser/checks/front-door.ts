import type { BrowserContextOptions } from 'playwright-core';
import { createProperty } from '../../../support/factories.js';
import { until } from '../../../support/until.js';
import { type Check, contains, equal } from '../check.js';
import type { Operation, ReferencePage } from '../reference-page.js';
import { DESKTOP, PHONE } from '../visit.js';

const SIZES: Readonly<Record<string, BrowserContextOptions>> = { 'a desktop': DESKTOP, 'a phone': PHONE };

/** Whether the answer begins below the bar, and a good part of it is seen. */
const SEEN = (id: string): string => `(() => {
  const box = (selector) => document.querySelector('#${id} ' + selector).getBoundingClientRect();
  const { top } = box('.answer .status');
  return top >= 60 && top + 150 <= innerHeight;
})()`;

async function seesAnswer({ visit }: ReferencePage, id: string): Promise<void> {
  await until(() => visit.read<boolean>(SEEN(id)));
}

/** What of the entries of the contents is seen. */
const LISTED = `[...document.querySelectorAll('#contents li')].filter((item) => item.checkVisibility())
  .map((item) => item.querySelector('a').hash.slice(1))`;

const MARKED = `[...document.querySelectorAll('#contents a[aria-current]')].map((link) => link.hash.slice(1))`;

export const FRONT_DOOR_CHECKS: readonly Check[] = [
  {
    name: 'a browser that comes to / is sent to the page, and finds an icon',
    async run(world) {
      const { visit } = await world.open();
      await visit.page.goto(`${world.service.url}/`);
      equal(new URL(visit.page.url()).pathname, '/docs', 'where the browser is');
      const read = `fetch('/favicon.ico').then((icon) => icon.blob()).then(createImageBitmap).then(({ width }) => width)`;
      equal((await visit.read<number>(read)) >= 16, true, 'whether Chromium can show the icon');
    },
  },
  ...Object.entries(SIZES).map(([size, options]) => ({
    name: `a newcomer presses Execute three times, for an account, a property and a transaction, on ${size}`,
    async run(world: Parameters<Check['run']>[0]) {
      await createProperty(await world.service.account()); // so that the example's id 1 is somebody else's
      const page = await world.open(options);
      for (const [id, status] of [
        ['signUp', '201'],
        ['createProperty', '200'],
        ['createTransaction', '200'],
      ] as const) {
        equal((await page.operation(id).execute()).status, status, `the status of ${id}`);
        await seesAnswer(page, id);
      }
      const { status, body } = await page.operation('getTransaction').execute();
      equal(status, '200', 'the status of the new transaction');
      contains(body, '"propertyName": "Harbour Loft"', 'the new transaction');
      equal((await page.operation('updateTransaction').execute()).status, '200', 'the status of its PUT');
      equal((await page.operation('signIn').execute()).status, '200', 'the status of the sign-in');
    },
  })),
  {
    name: 'the ids of the own rows are filled in, except for a change of what was not made here',
    async run(world) {
      const [page, account] = [await world.open(), await world.newAccount()];
      await page.signIn(account);
      await page.who.getByText(account.username).waitFor();
      const { body } = await page.operation('createProperty').execute();
      const id = /"id": (\d+)/.exec(body)?.[1] ?? '';
      equal(await page.operation('deleteProperty').input('id').inputValue(), id, 'the id to delete');
      await page.visit.reload();
      const filled = (operation: string): Promise<string> =>
        page.operation(operation).input('id').inputValue();
      await until(async () => (await filled('getProperty')) === id);
      contains(
        await page.operation('createTransaction').block.getByLabel('Body').inputValue(),
        `: ${id},`,
        'it',
      );
      equal(await filled('deleteProperty'), '', 'the id to delete after a reload');
      await page.operation('getProperty').input('id').fill('77');
      await page.operation('createProperty').execute();
      equal(await filled('getProperty'), '77', 'the id that was typed');
    },
  },
  {
    name: 'the request and the answer are side by side where there is room',
    async run(world) {
      const page = await world.openSignedIn();
      const { block, answer } = page.operation('createTransaction');
      const [form, beside] = [await block.locator('form').boundingBox(), await answer.boundingBox()];
      equal(form!.x + form!.width <= beside!.x, true, 'whether the answer is on the right of the request');
    },
  },
  {
    name: 'the request is written in curl as it is filled in, without the token',
    async run(world) {
      const page = await world.openSignedIn();
      const sampleOf = ({ block }: Operation): Promise<string> => block.locator('.sample code').innerText();
      const operation = page.operation('createProperty');
      await operation.block.getByLabel('Body').fill(`{ "name": "Ada's", "basePrice": 1.5, "active": true }`);
      const curl = await sampleOf(operation);
      contains(curl, `--data-raw '{ "name": "Ada'\\''s"`, 'curl');
      contains(curl, '"Authorization: Bearer $TOKEN"', 'curl');
      const other = page.operation('listTransactions');
      await other.input('sort').fill('date,desc amount');
      contains(await sampleOf(other), '?sort=date,desc&sort=amount', 'the query');
    },
  },
  {
    name: 'the fields are open, with their types, limits in words and values, and no pattern',
    async run(world) {
      const { block } = (await world.open()).operation('createTransaction');
      const fields = await block.locator('.fields').first().innerText();
      for (const part of [
        'at least 0.01',
        'at most 255 characters',
        '64-bit integer',
        'required',
        'date-time',
      ])
        contains(fields, part, 'the field list');
      for (const value of ['LEGAL_PROFESSIONAL', 'BI_WEEKLY', 'at most 1,000 elements'])
        contains(fields, value, 'the field list');
      const page = await world.open();
      equal(
        /u0000|\[\^/.exec(await page.visit.page.locator('body').innerText())?.[0],
        undefined,
        'a pattern',
      );
    },
  },
  {
    name: 'the contents can be searched, also by a field, and mark the place where the reader is',
    async run(world) {
      const { visit } = await world.open();
      await visit.page.keyboard.press('/');
      await visit.page.keyboard.type('houseRules put');
      equal(await visit.read(LISTED), ['updateProperty'], 'what is found');
      await visit.page.keyboard.press('Enter');
      await until(async () => JSON.stringify(await visit.read(MARKED)) === '["updateProperty"]');
      await visit.page.getByRole('searchbox').fill('nothingofthekind');
      await visit.page.getByText('Nothing found.').waitFor();
      await visit.page.getByRole('searchbox').fill('');
      await visit.read(`document.querySelector('#listUsers').scrollIntoView()`);
      await until(async () => JSON.stringify(await visit.read(MARKED)) === '["listUsers"]');
    },
  },
  {
    name: 'a phone has the contents, too: they open, are searched and close behind a choice',
    async run(world) {
      const { page } = (await world.open(PHONE)).visit;
      const contents = page.getByRole('navigation', { name: 'Operations' });
      equal(await contents.isVisible(), false, 'whether the contents are seen at first');
      await page.getByRole('button', { name: 'Contents' }).click();
      await page.getByRole('searchbox').fill('record');
      await contents.getByRole('link', { name: 'Record a transaction' }).click();
      await contents.waitFor({ state: 'hidden' });
      await until(async () => ((await page.locator('#createTransaction').boundingBox())?.y ?? -1) >= 0);
    },
  },
];
