import { readFileSync } from 'node:fs';
import { type Check, contains, equal, type World } from '../check.js';
import { until } from '../../../support/until.js';

/** Pixels that the bar takes at the top. */
const BAR = 60;

/** More than a double holds: JSON.parse makes 9007199254740992 and 100000000000000000 of them. */
const ID = '9007199254740993';
const AMOUNT = '99999999999999999.99';

const TRANSACTION = `{
  "propertyId": ${ID},
  "type": "INCOME",
  "category": "BOOKING_PAYMENT",
  "description": "The whole year",
  "amount": ${AMOUNT},
  "date": "2026-03-14T15:00:00Z"
}`;

async function nextPropertyId({ service }: World, id: string): Promise<void> {
  await service.sql(`SELECT setval(pg_get_serial_sequence('properties', 'id'), $1, false)`, [id]);
}

export const OPERATION_CHECKS: readonly Check[] = [
  {
    name: 'the page shows every operation of the document, here and in the list beside them',
    async run(world) {
      const page = await world.open();
      const { paths, info } = (await world.service.anonymous.get('/docs/openapi.json')).json as {
        paths: Record<string, Record<string, { operationId: string }>>;
        info: { version: string };
      };
      const ids = Object.values(paths).flatMap((item) =>
        Object.values(item).map(({ operationId }) => operationId),
      );
      equal(ids.length > 20, true, 'whether there are operations');
      for (const id of ids) await page.operation(id).block.waitFor();
      equal(await page.visit.page.locator('#contents a').count(), ids.length, 'the entries of the list');
      equal(await page.visit.page.locator('#version').innerText(), info.version, 'the version');
    },
  },
  {
    name: 'a link to an operation shows it, below the bar, from the list and from elsewhere',
    async run(world) {
      const page = await world.open();
      const { block } = page.operation('createTransaction');
      const isSeen = async (): Promise<boolean> => {
        const top = (await block.boundingBox())?.y ?? 0;
        return top >= BAR && top < 3 * BAR;
      };
      await page.visit.page.locator('#contents a', { hasText: 'Record a transaction' }).click();
      await until(isSeen);
      await page.visit.page.reload();
      await block.waitFor();
      await until(isSeen);
    },
  },
  {
    name: 'a property and a transaction are created, read and listed, digit for digit',
    async run(world) {
      const page = await world.openSignedIn();
      await nextPropertyId(world, ID);
      const property = await page.operation('createProperty').execute();
      equal(property.status, '200', 'the status of the example property');
      contains(property.body, `"id": ${ID},`, 'the new property');
      const created = await page.operation('createTransaction').execute({ body: TRANSACTION });
      equal(created.status, '200', 'the status of the transaction');
      contains(created.body, `"propertyId": ${ID},`, 'the new transaction');
      contains(created.body, `"amount": ${AMOUNT},`, 'the new transaction');
      const list = await page
        .operation('listPropertyTransactions')
        .execute({ path: { propertyId: ID, sort: 'date,desc' } });
      equal(list.status, '200', 'the status of the list');
      contains(list.body, `"amount": ${AMOUNT},`, 'the list');
      contains(list.body, '"totalElements": 1,', 'the list');
      await nextPropertyId(world, '1000');
    },
  },
  {
    name: 'the examples of import, search and export find each other, and the export is a file to keep',
    async run(world) {
      const page = await world.openSignedIn();
      await page.operation('createProperty').execute();
      const imported = await page.operation('importTransactions').execute();
      contains(imported.body, '"created": 2', 'the import');
      const found = await page.operation('searchTransactions').execute();
      contains(found.body, '"totalElements": 1,', 'the search');
      const { block } = page.operation('exportTransactions');
      await page.operation('exportTransactions').execute();
      const coming = page.visit.page.waitForEvent('download');
      await block.getByRole('link', { name: 'Download transactions.csv' }).click();
      const download = await coming;
      equal(download.suggestedFilename(), 'transactions.csv', 'the name of the file');
      contains(readFileSync(await download.path(), 'utf8'), '"Three nights, March"', 'the file');
    },
  },
  {
    name: 'a file is chosen for an import, in UTF-8 only, and its ending says what it is',
    async run(world) {
      const page = await world.openSignedIn();
      const { body } = await page.operation('createProperty').execute();
      const row = { propertyId: 0, type: 'EXPENSE', category: 'CLEANING', amount: 7, description: 'Zoë' };
      const line = JSON.stringify({ ...row, date: '2026-03-15T09:30:00Z' });
      const text = line.replace(':0,', `:${/"id": (\d+)/.exec(body)?.[1]},`);
      const { block } = page.operation('importTransactions');
      const picker = block.getByLabel('Or a file');
      await picker.setInputFiles({ name: 'rows.ndjson', mimeType: '', buffer: Buffer.from(text, 'latin1') });
      equal(
        await picker.evaluate((it: { validationMessage: string }) => it.validationMessage),
        'This file is not UTF-8.',
        'what is said of latin1',
      );
      await picker.setInputFiles({ name: 'rows.ndjson', mimeType: '', buffer: Buffer.from(text) });
      await until(async () => (await block.getByLabel('Body').inputValue()) === text);
      contains((await page.operation('importTransactions').execute()).body, '"created": 1', 'the import');
    },
  },
  {
    name: 'enumerations and booleans of a query are chosen from a list',
    async run(world) {
      const page = await world.openSignedIn();
      const { block } = page.operation('importTransactions');
      await block.locator('select[name="dryRun"]').selectOption('true');
      const options = block.locator('select[name="duplicates"] option');
      equal(await options.allInnerTexts(), ['', 'refuse', 'skip', 'allow'], 'the options');
      await page.operation('createProperty').execute();
      contains((await page.operation('importTransactions').execute()).body, '"dryRun": true', 'the answer');
    },
  },
  {
    name: 'the example of a PUT goes through, with no header that is only an example',
    async run(world) {
      const page = await world.openSignedIn();
      const { body } = await page.operation('createProperty').execute();
      const id = /"id": (\d+)/.exec(body)?.[1] ?? '';
      for (const round of ['first', 'second']) {
        const { status } = await page.operation('updateProperty').execute({ path: { id } });
        equal(status, '200', `the status of the ${round} PUT`);
      }
    },
  },
  {
    name: 'a refusal is shown with its problem document and every field in it',
    async run(world) {
      const page = await world.openSignedIn();
      const operation = page.operation('createProperty');
      const example = await operation.block.getByLabel('Body').inputValue();
      const faulty = example
        .replace(/"maxGuests": \d+/, '"maxGuests": 0')
        .replace(/"name": "[^"]*"/, '"name": 7');
      const { status, problem, body: document } = await operation.execute({ body: faulty });
      equal(status, '400', 'the status');
      for (const part of ['Validation failed', 'The request has invalid fields', 'name', 'maxGuests'])
        contains(problem, part, 'the problem');
      contains(document, '"type": "urn:property-finance:problem:validation-failed"', 'the document');
      contains(document, '"instance": "/api/properties"', 'the document');
    },
  },
  {
    name: 'how an operation can fail, and its headers, are one quiet line each, to be opened',
    async run(world) {
      const { block } = (await world.open()).operation('createProperty');
      const failures = block.getByText('Failures: 400, 401');
      const headers = block.getByText('Headers: ETag, Location, Idempotent-Replayed, X-Request-Id');
      const example = block.getByText('urn:property-finance:problem:authentication-required');
      for (const line of [failures, headers]) equal((await line.boundingBox())!.height < 50, true, 'a line');
      equal(await example.isVisible(), false, 'whether the example is seen');
      await failures.click();
      await block.getByText('Example: authentication-required').click();
      await example.waitFor();
      await headers.click();
      await block.getByText('The path of the new resource.').waitFor();
    },
  },
];
