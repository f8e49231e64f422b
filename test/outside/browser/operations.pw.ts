import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { idIn, PHONE, sql, test } from './page.js';

const PROPERTY_IDS = `pg_get_serial_sequence('properties', 'id')`;
/** More than a double holds. */
const ID = '9007199254740993';
const AMOUNT = '99999999999999999.99';
const TRANSACTION = `{ "propertyId": ${ID}, "type": "INCOME", "category": "BOOKING_PAYMENT",
  "description": "The whole year", "amount": ${AMOUNT}, "date": "2026-03-14T15:00:00Z" }`;

const nextPropertyId = (id: string): Promise<void> => sql(`SELECT setval(${PROPERTY_IDS}, $1, false)`, [id]);

test.describe('on a phone', () => {
  test.use(PHONE);

  test('Execute three times makes an account, a property and a transaction', async ({ reference }) => {
    await sql(`SELECT nextval(${PROPERTY_IDS})`); // id 1 of the examples is no property
    const steps = { signUp: '201', createProperty: '200', createTransaction: '200' };
    for (const [id, status] of Object.entries(steps)) {
      await reference.operation(id).execute(status);
      await expect(reference.operation(id).status).toBeInViewport();
    }
    const body = await reference.operation('getTransaction').execute('200');
    expect(body).toContain('"propertyName": "Harbour Loft"');
    const update = reference.operation('updateTransaction');
    for (let times = 0; times < 2; times++) await update.execute('200'); // no header is only an example
    await reference.operation('signIn').execute('200');
  });
});

test('the page and its contents have every operation of the document', async ({
  reference: { page },
  request,
}) => {
  const { paths } = (await (await request.get('/docs/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(20);
  for (const id of ids) await expect(page.locator(`#${id}`)).toBeAttached();
  await expect(page.locator('#contents a')).toHaveCount(ids.length);
});

test('a link to an operation shows it below the bar, from the list and from elsewhere', async ({
  reference,
}) => {
  const { block } = reference.operation('createTransaction');
  const isBelowBar = async (): Promise<boolean> => {
    const top = (await block.boundingBox())?.y ?? 0;
    return top >= 60 && top < 180;
  };
  await reference.page.locator('#contents a', { hasText: 'Record a transaction' }).click();
  await expect.poll(isBelowBar).toBe(true);
  await reference.page.reload();
  await expect.poll(isBelowBar).toBe(true);
});

test('the ids of own rows are filled in, except for a deletion after a reload', async ({ signedIn }) => {
  const id = idIn(await signedIn.operation('createProperty').execute('200'));
  const idOf = (operation: string) => signedIn.operation(operation).input('id');
  await expect(idOf('deleteProperty')).toHaveValue(id);
  await signedIn.operation('createProperty').execute('200');
  await signedIn.operation('deleteProperty').execute('200');
  for (const operation of ['updateProperty', 'deleteProperty']) await expect(idOf(operation)).toHaveValue('');
  await signedIn.open();
  await expect(idOf('getProperty')).toHaveValue(id);
  await expect(signedIn.operation('createTransaction').body).toHaveValue(new RegExp(`: ${id},`));
  await expect(idOf('deleteProperty')).toHaveValue('');
  await idOf('getProperty').fill('77');
  await signedIn.operation('createProperty').execute('200');
  await expect(idOf('getProperty')).toHaveValue('77');
});

test('the curl sample is of the request as it is filled in, without the token', async ({ signedIn }) => {
  const sampleOf = (id: string) => signedIn.operation(id).block.locator('.sample code');
  await signedIn.operation('createProperty').body.fill(`{ "name": "Ada's", "basePrice": 1.5 }`);
  await expect(sampleOf('createProperty')).toContainText(`--data-raw '{ "name": "Ada'\\''s"`);
  await expect(sampleOf('createProperty')).toContainText('"Authorization: Bearer $TOKEN"');
  await signedIn.operation('listTransactions').input('sort').fill('date,desc amount');
  await expect(sampleOf('listTransactions')).toContainText('?sort=date,desc&sort=amount');
});

test('a property and a transaction are created, read and listed digit for digit', async ({ signedIn }) => {
  await nextPropertyId(ID);
  expect(await signedIn.operation('createProperty').execute('200')).toContain(`"id": ${ID},`);
  await nextPropertyId('1000');
  await signedIn.operation('createTransaction').body.fill(TRANSACTION);
  const created = await signedIn.operation('createTransaction').execute('200');
  expect(created).toContain(`"propertyId": ${ID},`);
  expect(created).toContain(`"amount": ${AMOUNT},`);
  const list = signedIn.operation('listPropertyTransactions');
  await list.input('propertyId').fill(ID);
  const listed = await list.execute('200');
  expect(listed).toContain(`"amount": ${AMOUNT},`);
  expect(listed).toContain('"totalElements": 1,');
});

test('the examples of import, search and export find each other, and the export is a file', async ({
  signedIn,
}) => {
  await signedIn.operation('createProperty').execute('200');
  expect(await signedIn.operation('importTransactions').execute('200')).toContain('"created": 2');
  expect(await signedIn.operation('searchTransactions').execute('200')).toContain('"totalElements": 1,');
  const { block } = signedIn.operation('exportTransactions');
  await signedIn.operation('exportTransactions').execute('200');
  const coming = signedIn.page.waitForEvent('download');
  await block.getByRole('link', { name: 'Download transactions.csv' }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe('transactions.csv');
  expect(readFileSync(await download.path(), 'utf8')).toContain('"Three nights, March"');
});

test('an import takes a file in UTF-8, whose name says its format, and its options from lists', async ({
  signedIn,
}) => {
  const propertyId = idIn(await signedIn.operation('createProperty').execute('200'));
  const text = `{"propertyId":${propertyId},"type":"EXPENSE","category":"CLEANING","amount":7,"description":"Zoë","date":"2026-03-15T09:30:00Z"}`;
  const operation = signedIn.operation('importTransactions');
  const picker = operation.block.getByLabel('Or a file');
  await picker.setInputFiles({ name: 'rows.ndjson', mimeType: '', buffer: Buffer.from(text, 'latin1') });
  await expect(picker).toHaveJSProperty('validationMessage', 'This file is not UTF-8.');
  await picker.setInputFiles({ name: 'rows.ndjson', mimeType: '', buffer: Buffer.from(text) });
  await expect(operation.body).toHaveValue(text);
  const options = operation.block.locator('select[name="duplicates"] option');
  await expect(options).toHaveText(['', 'refuse', 'skip', 'allow']);
  await operation.block.locator('select[name="dryRun"]').selectOption('true');
  expect(await operation.execute('200')).toContain('"dryRun": true');
});

test('a refusal shows its problem document and every field in it', async ({ signedIn }) => {
  const operation = signedIn.operation('createProperty');
  await operation.body.fill('{ "name": 7, "maxGuests": 0 }');
  const document = await operation.execute('400');
  for (const part of ['Validation failed', 'The request has invalid fields', 'name', 'maxGuests'])
    await expect(operation.problem).toContainText(part);
  expect(document).toContain('"type": "urn:property-finance:problem:validation-failed"');
  expect(document).toContain('"instance": "/api/properties"');
});

test('failures and headers of an operation are closed until a click', async ({ reference }) => {
  const { block } = reference.operation('createProperty');
  const example = block.getByText('urn:property-finance:problem:authentication-required');
  await expect(example).toBeHidden();
  await block.getByText('Failures: 400, 401').click();
  await block.getByText('Example: authentication-required').click();
  await expect(example).toBeVisible();
  await block.getByText('Headers: ETag, Location, Idempotent-Replayed, X-Request-Id').click();
  await expect(block.getByText('The path of the new resource.')).toBeVisible();
});

test('the picture of README.md', async ({ signedIn: reference }) => {
  const { PICTURE: path } = process.env;
  test.skip(path === undefined, 'only with --picture');
  await reference.page.setViewportSize({ width: 1240, height: 535 });
  for (const id of ['createProperty', 'createTransaction', 'getProfitAndLoss'])
    await reference.operation(id).execute('200');
  await reference.page.evaluate(`document.querySelector('#getProfitAndLoss').scrollIntoView()`);
  const picture = await reference.page.screenshot({ path: path! });
  expect(picture.length).toBeLessThan(150_000);
});
