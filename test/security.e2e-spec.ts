import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuthService } from '../src/auth/auth.service.js';
import { expectProblem, pageOf } from './support/answers.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { LogLines } from './support/log-lines.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn, signUpRequest } from './support/sign-up.js';
import { sources } from './support/sources.js';

let log: LogLines;
let service: Service;
let owner: Account;
let admin: Account;

beforeAll(async () => {
  log = new LogLines();
  service = await startService({ LOG_LEVEL: 'trace' });
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
});

/** Everything that the database holds of accounts and of the ledger. */
async function contents(): Promise<unknown> {
  const tables = ['users', 'properties', 'transactions', 'owner_totals', 'property_totals', 'migrations'];
  return Promise.all(
    tables.map((table) =>
      service.sql(`SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} t`),
    ),
  );
}

describe('a text that would be code elsewhere', () => {
  const TEXTS = [
    `'; DROP TABLE transactions; --`,
    `' OR '1'='1`,
    `\\'; SELECT pg_sleep(10); --`,
    `"}],"role":"ADMIN"`,
    `\${jndi:ldap://127.0.0.1:9/a}`,
    `<script>alert(1)</script>`,
    `%s%n%x %00 \\u0041`,
    `line\r\nSet-Cookie: a=b\r\n\r\n`,
  ];

  it.each(TEXTS)('is kept as it is, and found again: %j', async (text) => {
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

  it('is one line of the log when an error holds it', async () => {
    log.clear();
    const message = 'broken\r\n{"level":"fatal","msg":"forged"}\u001b[2J';
    jest.spyOn(service.app.get(AuthService), 'signIn').mockRejectedValueOnce(new Error(message));
    expectProblem(await signIn(service.anonymous, signUpRequest()), 500, 'internal-error');
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info']); // and the request log's
    expect(log.text).not.toContain('\u001b');
  });
});

describe('an address in a request', () => {
  let listener: Server;
  let visits = 0;

  beforeAll(async () => {
    listener = createServer((_request, response) => response.end()).on('connection', () => visits++);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => listener.close());

  it('is never called by the service', async () => {
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/receipt`;
    const headers = { 'x-forwarded-host': url, referer: url, 'x-callback-url': url, origin: url };
    const { id } = await createProperty(owner, { checkInInstructions: url });
    const body = transactionRequest(id, {
      receiptUrl: url,
      notes: url,
      metadata: { webhook: url },
      tags: [url],
    });
    const answer = await owner.post('/api/transactions', body, headers);
    expect(answer.json).toMatchObject({ receiptUrl: url });
    expect((await owner.post('/api/transactions/search', { searchTerm: url })).status).toBe(200);
    expect(visits).toBe(0);
    await fetch(url);
    expect(visits).toBe(1); // it would have been noticed
  });
});

it('a request to read changes nothing, whoever sends it', async () => {
  const property = await createProperty(owner);
  const transaction = await createTransaction(owner, property.id);
  const before = await contents();
  for (const client of [admin, owner, service.anonymous]) {
    for (const path of [
      '/api/users',
      '/api/users/me',
      `/api/users/${owner.id}`,
      '/api/properties?size=100&sort=name',
      `/api/properties/${property.id}`,
      '/api/transactions?size=100&sort=amount,desc',
      `/api/transactions/${transaction.id}`,
      `/api/transactions/property/${property.id}`,
      '/actuator/health',
      '/actuator/info',
      '/actuator/prometheus',
    ]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) await client.send(method, path);
    }
  }
  expect(await contents()).toEqual(before);
  await owner.put(`/api/properties/${property.id}`, propertyRequest({ name: 'Other' }));
  expect(await contents()).not.toEqual(before); // it would have been noticed
});

it('an answer, if a browser shows it as a page, may load, embed, submit and run nothing', async () => {
  for (const answer of [await owner.get('/api/properties'), await service.anonymous.get('/')]) {
    const directives = answer.headers.get('content-security-policy')!.split('; ').sort();
    expect(directives).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  }
});

describe('the sources', () => {
  const filesWith = (pattern: RegExp): string[] =>
    sources()
      .filter(({ text }) => pattern.test(text))
      .map(({ path }) => path);

  it.each<[string, RegExp, string[]]>([
    ['make code of a text', /\beval\(|new Function\(|node:vm\b/, []],
    [
      'start another program: the PostgreSQL of the quickstart',
      /node:child_process/,
      ['binaries', 'cluster', 'postmaster'].map((name) => `src/quickstart/embedded-postgres/${name}.ts`),
    ],
    [
      'call an address: the doctor, its own machine',
      /\bfetch\(|node:https|\brequest\(|axios|undici/,
      ['src/cli/doctor/port.ts'],
    ],
    [
      'make random numbers that can be guessed: the demo, not its passwords',
      /Math\.random|mulberry/i,
      ['src/quickstart/demo/history.ts'],
    ],
    ['use a hash that is broken', /\b(md5|sha1)\b/i, []],
    ['switch off the check of certificates', /rejectUnauthorized|NODE_TLS_REJECT/, []],
  ])('that %s are these', (_, pattern, files) => {
    expect(filesWith(pattern)).toEqual(files);
  });
});
