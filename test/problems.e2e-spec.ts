import { createHash } from 'node:crypto';
import * as nest from '@nestjs/common';
import { HttpException, InternalServerErrorException } from '@nestjs/common';
import { errorCodes } from 'fastify';
import { PROBLEMS, ProblemError } from '../src/common/problems/problem.js';
import { PropertiesService } from '../src/properties/properties.service.js';
import { UsersRepository } from '../src/users/users.repository.js';
import { expectProblem } from './support/responses.js';
import { Client, type HttpResponse } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { LogLines } from './support/log-lines.js';
import { type ServiceProcess, startProcess } from './support/process.js';
import { type Account, type Service, startService } from './support/service.js';
import { TEST_SECRET } from './support/settings.js';
import { signedIn, signIn, signUp, signUpRequest } from './support/sign-up.js';
import { requestText, sendBytes, Wire } from './support/wire.js';

let service: Service;
let user: Account;
let admin: Account;
let log: LogLines;

beforeAll(async () => {
  log = new LogLines();
  service = await startService({ LOG_LEVEL: 'trace' });
  [user, admin] = [await service.account(), await service.account('ADMIN')];
});
beforeEach(() => log.clear());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
/** Must not come to the client, nor break a line of the log. */
const SECRET = 'SELECT password FROM users -- at /srv/app/lib/client.js:12\r\n{"level":"fatal"}\u001b[2J';

/** Answers the next list of the caller's properties in this way. */
const nextList = (response: () => unknown): void =>
  void jest.spyOn(service.app.get(PropertiesService), 'list').mockImplementationOnce(response as never);

const throwing = (failure: unknown) => (): void =>
  nextList(() => {
    throw failure;
  });

describe('an unexpected failure', () => {
  const broken = new Error(SECRET, { cause: new Error(SECRET) });

  it.each<[name: string, fail: () => void]>([
    ['an error of several with causes', throwing(new AggregateError([broken], SECRET))],
    [
      'an error with its own status',
      throwing(Object.assign(new Error(SECRET), { statusCode: 502, status: 502 })),
    ],
    ['an exception of the framework', throwing(new InternalServerErrorException(SECRET))],
    ['its exception with an odd status', throwing(new HttpException({ secret: SECRET }, 600))],
    ['its exception that is a redirection', throwing(new HttpException({ secret: SECRET }, 302))],
    ['a text', throwing(SECRET)],
    ['an object', throwing({ message: SECRET, statusCode: 500 })],
    ['nothing', throwing(undefined)],
    ['null', throwing(null)],
    ['a response that is no JSON', () => nextList(() => Promise.resolve(1n))],
    [
      'the authentication',
      () => void jest.spyOn(service.app.get(UsersRepository), 'findCaller').mockRejectedValueOnce(broken),
    ],
  ])('of %s is 500, tells nothing, and is one ERROR in the log', async (_, fail) => {
    fail();
    const headers = { 'x-request-id': 'failure-1', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const response = await user.get('/api/properties?sort=name', headers);
    expectProblem(response, 'internal-error', '/api/properties');
    expect(response.text).not.toMatch(/SELECT|srv|password/);
    const { correlationId } = response.json as { correlationId: string };
    const spanId = response.headers.get('traceresponse')!.split('-')[2];
    const about = { correlationId, requestId: 'failure-1', traceId: TRACE, spanId };
    expect(log.lines).toMatchObject([{ level: 'error', ...about }]);
    expect(log.text).not.toContain('\u001b');
  });

  it('has its stack and its causes in the log, and a correlation id of its own each time', async () => {
    const ids = [1, 2].map(async () => {
      throwing(broken)();
      const response = await user.get('/api/properties', { 'x-request-id': 'the-same' });
      return (response.json as { correlationId: string }).correlationId;
    });
    expect(new Set(await Promise.all(ids)).size).toBe(2);
    expect(log.text).toContain('problems.e2e-spec');
    expect(log.text).toContain(JSON.stringify(SECRET).slice(1, -1));
  });

  it('of the database has no row of a host in the log, where its driver and TypeORM put it', async () => {
    const ROW = 'Failing row contains (1, Anna Host, 12.00).';
    const facts = { code: 'XX000', detail: ROW, where: ROW, hint: ROW };
    const driverError = Object.assign(new Error('it failed'), facts);
    const failure = { ...facts, driverError, query: ROW, parameters: [ROW] };
    for (const each of [driverError, new Error('it failed', { cause: driverError })]) {
      throwing(Object.assign(each, failure))();
      expectProblem(await user.get('/api/properties'), 'internal-error');
    }
    expect(log.at('error')).toMatchObject([{ err: { code: 'XX000' } }, { err: { code: 'XX000' } }]);
    expect(log.text).not.toContain('Anna');
  });
});

describe('a failure that no request has caused', () => {
  afterEach(async () => {
    for (const table of ['users', 'properties', 'transactions'])
      await service.sql(`SELECT setval('${table}_id_seq', (SELECT coalesce(max(id), 1) FROM ${table}))`);
  });

  const create = (): Promise<HttpResponse> => user.post('/api/properties', propertyRequest());
  const record = (id: number): Promise<HttpResponse> =>
    user.post('/api/transactions', transactionRequest(id));
  const batch = (id: number): Promise<HttpResponse> =>
    user.post('/api/transactions/batch', { transactions: [transactionRequest(id)] });
  const register = (): Promise<HttpResponse> => signUp(service.anonymous, signUpRequest());

  it.each<[name: string, past: string, send: (id: number) => Promise<HttpResponse>]>([
    ['no ids left for properties', `SELECT setval('properties_id_seq', ${2n ** 63n - 1n})`, create],
    ['no ids left for transactions', `SELECT setval('transactions_id_seq', ${2n ** 63n - 1n})`, batch],
    ['ids of properties that are taken', `SELECT setval('properties_id_seq', $1, false)`, create],
    ['ids of transactions that are taken', `SELECT setval('transactions_id_seq', $2, false)`, record],
    ['ids of transactions that are taken', `SELECT setval('transactions_id_seq', $2, false)`, batch],
    ['ids of accounts that are taken', `SELECT setval('users_id_seq', 1, false)`, register],
    [
      'the last version of a property',
      `UPDATE properties SET version = ${2 ** 31 - 1} WHERE id = $1`,
      (id) => user.put(`/api/properties/${id}`, propertyRequest()),
    ],
  ])('by %s is 500 and one ERROR in the log', async (_, past, send) => {
    const { id } = await createProperty(user);
    const { id: transactionId } = await createTransaction(user, id);
    await service.sql(past.replace('$1', String(id)).replace('$2', String(transactionId)));
    log.clear();
    const response = await send(id);
    expectProblem(response, 'internal-error');
    const { correlationId } = response.json as { correlationId: string };
    expect(log.lines).toMatchObject([{ level: 'error', correlationId }]);
  });
});

describe('an exception of the framework below 500', () => {
  type Exception = new (secret: string, status?: number) => Error & { statusCode?: number };
  const isOfNest = (each: unknown): each is Exception =>
    (each as Exception).prototype instanceof HttpException;
  const exceptions = [
    ...(Object.values(nest) as unknown[]).filter(isOfNest),
    ...Object.values<Exception>(errorCodes),
  ]
    .map((Each) => new Each(SECRET))
    .concat([402, 418, 451, 499].map((status) => new HttpException(SECRET, status)))
    .map((each): [string, number, Error] => {
      const status = each instanceof HttpException ? each.getStatus() : (each.statusCode ?? 500);
      return [`${each.name} ${(each as { code?: string }).code ?? ''}`, status, each];
    })
    .filter(([, status]) => status < 500);

  it('is one of more than twenty', () => expect(exceptions.length).toBeGreaterThan(20));

  it.each(exceptions)(
    '%s keeps its status %i, or is 400, and is not logged',
    async (_, status, exception) => {
      throwing(exception)();
      const authorization = `Bearer ${user.token!}`;
      const response = await fetch(`${service.url}/api/properties`, { headers: { authorization } });
      const has = Object.values(PROBLEMS).some((problem) => problem.status === status);
      const { type, detail, ...problem } = (await response.json()) as Record<string, string>;
      expect([response.status, problem['status']]).toEqual([has ? status : 400, response.status]);
      expect(type === 'urn:property-finance:problem:malformed-request').toBe(!has || status === 400);
      expect(detail).not.toContain('SELECT');
      expect(log.lines).toEqual([]);
    },
  );
});

it('each of many 503s at once has a short line, and few of them the reason, whatever another service logs', async () => {
  const own = await startService({ LOG_LEVEL: 'warn' });
  const client = await own.account();
  const failure = new ProblemError('service-unavailable', 'The database is currently unavailable.', {
    cause: new Error('the reason'),
  });
  for (const { app } of [service, own])
    jest.spyOn(app.get(PropertiesService), 'list').mockRejectedValue(failure);
  await user.get('/api/properties');
  log.clear();
  const responses = await Promise.all(Array.from({ length: 40 }, () => client.get('/api/properties')));
  const ids = responses.map(({ json }) => (json as { correlationId: string }).correlationId);
  expect(log.at('warn').map(({ correlationId }) => correlationId)).toEqual(expect.arrayContaining(ids));
  const explained = log.at('warn').filter(({ err }) => err !== undefined);
  expect(explained[0]).toMatchObject({ err: { message: 'the reason' }, msg: failure.detail });
  expect(explained.length).toBeLessThan(20); // one in a second
});

it.each<[target: string, instance: string, headers?: Record<string, string>]>([
  ['/api/none?token=secret&a=1?b=2', '/api/none', { accept: 'text/html' }],
  ['/api/a%20b/%C3%A9?x', '/api/a%20b/%C3%A9', { accept: '*/*;q=0' }],
  ['/?x', '/', { 'x-forwarded-prefix': '/x', 'x-forwarded-host': 'evil.example', 'x-original-url': '/y' }],
  ['/actuator/none;v=1?x', '/actuator/none;v=1'],
])('the instance of a problem of %s is %s, whatever the headers', async (target, instance, headers = {}) => {
  expectProblem(await admin.get(target, headers), 'not-found', instance);
});

describe('the log at LOG_LEVEL=trace', () => {
  const DATABASE_PASSWORD = 'the-password-of-the-database';
  let running: ServiceProcess;
  let anonymous: Client;
  let account: Client;

  beforeAll(async () => {
    running = startProcess({
      DB_URL: service.settings.database.url,
      DB_PASSWORD: DATABASE_PASSWORD,
      LOG_LEVEL: 'trace',
      REQUEST_TIMEOUT: '3s',
    });
    anonymous = await running.client();
    await running.says(/the database is ready/);
    account = new Client(anonymous.url, user.token);
  });

  it('has nothing of a client that hangs up, or is too slow', async () => {
    const before = running.output;
    const authorization = `Authorization: Bearer ${user.token!}`;
    const fields = [authorization, 'Content-Type: application/json', 'Content-Length: 1000'];
    const upload = requestText('POST /api/properties HTTP/1.1', fields);
    const list = requestText('GET /api/properties HTTP/1.1', [authorization]);
    for (const bytes of [upload, `${upload}{"name":`, list]) {
      const wire = (await Wire.open(anonymous.url)).send(bytes);
      await account.get('/api/users/me');
      wire.destroy();
    }
    expectProblem(await sendBytes(anonymous.url, `${upload}{"name":`), 'request-timeout');
    expect((await account.get('/api/users/me')).status).toBe(200);
    expect(running.output.slice(before.length)).toBe('');
  });

  it('has no name, password, token or API key of a caller in it, whatever happens', async () => {
    const request = { ...signUpRequest(), password: 'correct horse battery staple' };
    const wrong = { ...request, password: 'a password that is wrong' };
    const long = { ...request, email: 'none', password: 'p'.repeat(73) };
    const broken = '"password":"too-short-to-be"}';
    expect((await signUp(anonymous, request)).status).toBe(201);
    const caller = await signedIn(anonymous, request);
    const accessToken = caller.token!;
    const made = await caller.post('/api/keys', { name: 'x', access: 'WRITE' });
    const { key } = made.json as { key: string };
    const query = `token=${accessToken}&key=${key}&password=${encodeURIComponent(request.password)}`;
    const send = async (): Promise<number[]> => {
      const responses = [
        signUp(anonymous, request),
        signUp(anonymous, long),
        signUp(anonymous, broken as never),
        signIn(anonymous, wrong),
        caller.get('/api/users/me'),
        caller.get(`/api/none?${query}`),
        new Client(anonymous.url, `${accessToken}x`).get('/api/users/me'),
        new Client(anonymous.url, key).get('/api/users/me'),
        new Client(anonymous.url, key.replace('pfk_', 'pfk_9')).get('/api/users/me'),
        anonymous.get(`/api/%zz?${query}`),
      ];
      return (await Promise.all(responses)).map(({ status }) => status);
    };
    expect(await send()).toEqual([409, 400, 400, 401, 200, 404, 401, 200, 401, 400]);
    await service.sql('ALTER TABLE users RENAME TO hidden_users');
    try {
      expect(await send()).toEqual([500, 400, 400, 500, 500, 500, 401, 500, 500, 400]);
    } finally {
      await service.sql('ALTER TABLE hidden_users RENAME TO users');
    }
    await running.says(/"level":"error"(?=.*"code":"42P01")(?=.*\\n +at )/);
    const passwords = [request.password, wrong.password, long.password, 'too-short-to-be', DATABASE_PASSWORD];
    const secrets = [request.username, ...passwords, ...accessToken.split('.'), user.token!, TEST_SECRET];
    secrets.push(key.slice(-43), createHash('sha256').update(key).digest('hex'));
    const written = secrets
      .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
      .filter((secret) => running.output.includes(secret));
    expect(written).toEqual([]);
    expect(running.output.match(/\$2[aby]\$\d\d/g)).toBeNull(); // how every password hash begins
  });

  it('is JSON, line by line, with level, time and the name of the application', () => {
    expect(running.lines).not.toEqual([]);
    for (const line of running.lines) {
      expect(line).toMatchObject({ application: 'property-finance', msg: expect.any(String) as string });
      expect(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).toContain(line.level);
      expect(new Date(String(line['time'])).toISOString()).toBe(line['time']);
    }
  });
});
