import { pageOf } from './support/responses.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, startService } from './support/service.js';
import { sources } from './support/sources.js';

let owner: Account;
beforeAll(async () => void (owner = await (await startService()).account()));

it.each([
  `'; DROP TABLE transactions; --`,
  `' OR '1'='1`,
  `\\'; SELECT pg_sleep(10); --`,
  `"}],"role":"ADMIN"`,
  `\${jndi:ldap://127.0.0.1:9/a}`,
  `<script>alert(1)</script>`,
  `%s%n%x %00 \\u0041`,
  `line\r\nSet-Cookie: a=b\r\n\r\n`,
])('the text %j, which would be code elsewhere, is kept as it is, and found again', async (text) => {
  const property = await createProperty(owner, { name: text, houseRules: text });
  expect(property).toMatchObject({ name: text, houseRules: text });
  const fields = { description: text, vendor: text, notes: text, tags: [text], metadata: { [text]: text } };
  const transaction = await createTransaction(owner, property.id, fields);
  const read = await owner.get(`/api/transactions/${transaction.id}`);
  expect(read.json).toMatchObject({ ...fields, propertyName: text });
  expect(read.headers.get('set-cookie')).toBeNull();
  for (const search of [{ searchTerm: text }, { vendor: text }]) {
    const found = await owner.post('/api/transactions/search', { ...search, propertyId: property.id });
    expect(pageOf(found).content).toHaveLength(1);
  }
});

it.each<[string, RegExp, ...string[]]>([
  ['make code of a text', /\beval\(|new Function\(|node:vm\b/],
  [
    'start another program: the PostgreSQL of the quickstart',
    /node:child_process/,
    ...['binaries', 'cluster', 'postmaster'].map((name) => `src/quickstart/embedded-postgres/${name}.ts`),
  ],
  [
    'call an address: the doctor, its own machine',
    /\bfetch\(|node:https|\brequest\(|axios|undici/,
    'src/cli/doctor/doctor.ts',
  ],
  ['make random numbers that can be guessed', /Math\.random|mulberry/i],
  ['use a hash that is broken', /\b(md5|sha1)\b/i],
  ['switch off the check of certificates', /rejectUnauthorized|NODE_TLS_REJECT/],
])('the sources that %s are these', (_, pattern, ...files) => {
  const found = sources().filter(({ text }) => pattern.test(text));
  expect(found.map(({ path }) => path)).toEqual(files);
});
