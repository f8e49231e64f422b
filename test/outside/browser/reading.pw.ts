import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { PHONE, test } from './page.js';

const OPEN_ALL = `document.querySelectorAll('details').forEach((one) => (one.open = true))`;
/** Equal in kind to the others; all together take axe a minute. */
const OTHER_OPERATIONS = '.operation:not(#createProperty, #listTransactions, #exportTransactions)';
const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth';
/** The entries of the contents that are seen, and the one that is marked. */
const LISTED = `[...document.querySelectorAll('#contents li')].filter((item) => item.checkVisibility())
  .map((item) => item.querySelector('a').hash.slice(1))`;
const MARKED = `[...document.querySelectorAll('#contents a[aria-current]')].map((link) => link.hash.slice(1))`;
/** The id or text of the focused element, and whether its focus is seen. */
const FOCUSED = `(() => {
  const { id, innerText } = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return { name: id || innerText.split('\\n')[0], isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
})()`;

/** JSON, and its layout. */
const LAYOUTS = [
  ['{"a":99999999999999999.99,"b":[1]}', '{\n  "a": 99999999999999999.99,\n  "b": [\n    1\n  ]\n}'],
  ['[[],{}]', '[\n  [],\n  {}\n]'],
  ['{"a": {"b":null} }', '{\n  "a": {\n    "b": null\n  }\n}'],
  [String.raw`{"a\"{,[:":"\\","b":"}"}`, String.raw`{${'\n'}  "a\"{,[:": "\\",${'\n'}  "b": "}"${'\n'}}`],
  [' 1.50 ', '1.50'],
];

test('JSON is laid out without a change to its digits', async ({ reference: { page } }) => {
  for (const [json, expected] of LAYOUTS) {
    const layout = `import('/docs/exact-json.js').then(({ layOut }) => layOut(${JSON.stringify(json)}))`;
    expect(await page.evaluate(layout)).toBe(expected);
  }
});

test('the page is as dark as the system until the reader chooses', async ({ reference }) => {
  const { page } = reference;
  const html = page.locator('html');
  await expect(html).not.toContainClass('dark-mode');
  await page.emulateMedia({ colorScheme: 'dark' });
  await reference.open();
  await expect(html).toContainClass('dark-mode');
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  await reference.open();
  await expect(html).not.toContainClass('dark-mode');
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds no breach of WCAG 2.2 AA, in ${colorScheme}`, async ({ signedIn }) => {
    const { page } = signedIn;
    await page.emulateMedia({ colorScheme });
    const operation = signedIn.operation('createProperty');
    await operation.body.fill('{"name": 7}');
    await operation.execute('400');
    await page.evaluate(OPEN_ALL);
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const builder = new AxeBuilder({ page }).withTags(tags).exclude(OTHER_OPERATIONS);
    const { violations } = await builder.analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  });

test('the keyboard reaches everything in order, and the focus is seen', async ({ reference: { page } }) => {
  const reached: string[] = [];
  for (let presses = 0; presses < 10; presses++) {
    await page.keyboard.press('Tab');
    const { name, isSeen } = await page.evaluate<{ name: string; isSeen: boolean }>(FOCUSED);
    expect(isSeen, name).toBe(true);
    reached.push(name);
  }
  const first = ['Skip to the operations', 'Property Finance Service', 'theme', 'search'];
  expect(reached.slice(0, first.length)).toEqual(first);
});

test('the keyboard signs in and sends an operation', async ({ reference, account }) => {
  const { keyboard } = reference.page;
  await reference.account.getByLabel('Username').focus();
  await keyboard.type(account.username);
  await keyboard.press('Tab');
  await keyboard.type(account.password);
  await keyboard.press('Enter');
  await expect(reference.who).toContainText(account.username);
  const operation = reference.operation('getCurrentUser');
  await operation.block.getByRole('button', { name: 'Execute' }).focus();
  await keyboard.press('Enter');
  await expect(operation.response).toContainText(account.username);
});

test('the contents are searched, also by a field, and mark the operation in view', async ({
  reference: { page },
}) => {
  await page.keyboard.press('/');
  await page.keyboard.type('houseRules put');
  expect(await page.evaluate(LISTED)).toEqual(['updateProperty']);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(MARKED)).toEqual(['updateProperty']);
  await page.getByRole('searchbox').fill('nothingofthekind');
  await expect(page.getByText('Nothing found.')).toBeVisible();
  await page.getByRole('searchbox').fill('');
  await page.evaluate(`document.querySelector('#listUsers').scrollIntoView()`);
  await expect.poll(() => page.evaluate(MARKED)).toEqual(['listUsers']);
});

test.describe('on a phone', () => {
  test.use(PHONE);

  test('the contents open, are searched, and close after a choice', async ({ reference: { page } }) => {
    const contents = page.getByRole('navigation', { name: 'Operations' });
    await expect(contents).toBeHidden();
    await page.getByRole('button', { name: 'Contents' }).click();
    await page.getByRole('searchbox').fill('record');
    await contents.getByRole('link', { name: 'Record a transaction' }).click();
    await expect(contents).toBeHidden();
    await expect(page.locator('#createTransaction')).toBeInViewport();
  });

  test('nothing is wider than 320 pixels', async ({ signedIn }) => {
    const { page } = signedIn;
    await page.setViewportSize({ width: 320, height: 844 });
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    await signedIn.operation('createProperty').body.fill('{"name": 7}');
    await signedIn.operation('createProperty').execute('400');
    await signedIn.operation('listTransactions').execute('200');
    await page.evaluate(OPEN_ALL);
    expect(await page.evaluate(OVERFLOW)).toBe(0);
  });
});
