import { type Check, contains, equal } from '../check.js';
import { CONTRAST_FAULTS } from '../contrast.js';
import { DESKTOP, PHONE } from '../visit.js';

const IS_DARK = `document.documentElement.classList.contains('dark-mode')`;
const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth';

/** What has the focus: its id or text, and whether one sees that it has. */
const FOCUSED = `(() => {
  const { id, innerText } = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return { name: id || innerText.split('\\n')[0], isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
})()`;

const UNLABELLED = `[...document.querySelectorAll('input, select, textarea')]
  .filter((input) => input.labels.length === 0 && !input.ariaLabel).map((input) => input.name)`;

/** JSON, and how it is laid out. */
const LAYOUTS: readonly (readonly [string, string])[] = [
  [
    '{"a":99999999999999999.99,"b":[1,9007199254740993]}',
    '{\n  "a": 99999999999999999.99,\n  "b": [\n    1,\n    9007199254740993\n  ]\n}',
  ],
  ['{}', '{}'],
  ['[[],{}]', '[\n  [],\n  {}\n]'],
  ['{"a": {"b":null} }', '{\n  "a": {\n    "b": null\n  }\n}'],
  [String.raw`{"a\"{,[:":"\\","b":"}"}`, String.raw`{${'\n'}  "a\"{,[:": "\\",${'\n'}  "b": "}"${'\n'}}`],
  [' 1.50 ', '1.50'],
  ['"text"', '"text"'],
];

export const READING_CHECKS: readonly Check[] = [
  {
    name: 'JSON is laid out without touching its digits',
    async run(world) {
      const { visit } = await world.open();
      for (const [json, expected] of LAYOUTS) {
        const laidOut = `import('/docs/exact-json.js').then(({ layOut }) => layOut(${JSON.stringify(json)}))`;
        equal(await visit.read(laidOut), expected, json);
      }
    },
  },
  {
    name: 'the page is as dark as the system, until the reader chooses, and then stays so',
    async run(world) {
      const light = await world.open({ ...DESKTOP, colorScheme: 'light' });
      equal(await light.visit.read(IS_DARK), false, 'darkness in a light system');
      const { visit } = await world.open({ ...DESKTOP, colorScheme: 'dark' });
      equal(await visit.read(IS_DARK), true, 'darkness in a dark system');
      await visit.page.getByRole('button', { name: 'Change between light and dark' }).click();
      equal(await visit.read(IS_DARK), false, 'darkness after the choice');
      await visit.reload();
      equal(await visit.read(IS_DARK), false, 'darkness after a reload');
    },
  },
  ...(['light', 'dark'] as const).map((colorScheme) => ({
    name: `texts stand out against what is behind them, in ${colorScheme}`,
    async run(world: Parameters<Check['run']>[0]) {
      const page = await world.openSignedIn({ ...DESKTOP, colorScheme });
      await page.operation('createProperty').execute({ body: '{"name": 7}' });
      await page.visit.read(`document.querySelectorAll('details').forEach((one) => (one.open = true))`);
      equal(await page.visit.read(CONTRAST_FAULTS), [], 'texts of too little contrast');
    },
  })),
  {
    name: 'the keyboard reaches everything in order, and one sees where it is',
    async run(world) {
      const { visit } = await world.open();
      const reached: string[] = [];
      for (let presses = 0; presses < 10; presses++) {
        await visit.page.keyboard.press('Tab');
        const { name, isSeen } = await visit.read<{ name: string; isSeen: boolean }>(FOCUSED);
        equal(isSeen, true, `whether one sees the focus on ${name}`);
        reached.push(name);
      }
      equal(
        reached.slice(0, 4),
        ['Skip to the operations', 'Property Finance Service', 'theme', 'search'],
        'the order',
      );
      equal(await visit.read(UNLABELLED), [], 'fields without a label');
    },
  },
  {
    name: 'one signs in and sends an operation without a mouse',
    async run(world) {
      const [page, account] = [await world.open(), await world.newAccount()];
      const { keyboard } = page.visit.page;
      await page.account.getByLabel('Username').focus();
      await keyboard.type(account.username);
      await keyboard.press('Tab');
      await keyboard.type(account.password);
      await keyboard.press('Enter');
      await page.account.getByText(`Signed in as ${account.username}`).waitFor();
      const operation = page.operation('getCurrentUser');
      await operation.block.getByRole('button', { name: 'Execute' }).focus();
      await keyboard.press('Enter');
      contains((await operation.shown()).body, account.username, 'the answer');
    },
  },
  {
    name: 'nothing is wider than a phone',
    async run(world) {
      for (const width of [390, 320]) {
        const page = await world.openSignedIn({ ...PHONE, viewport: { width, height: 844 } });
        equal(await page.visit.read(OVERFLOW), 0, `what stands out of ${width} pixels`);
        await page.operation('createProperty').execute({ body: '{"name": 7}' });
        await page.operation('listTransactions').execute();
        await page.visit.read(`document.querySelectorAll('details').forEach((one) => (one.open = true))`);
        equal(await page.visit.read(OVERFLOW), 0, `what stands out of ${width} pixels, with answers`);
      }
    },
  },
];
