import { type LogLine, LogLines } from './support/log-lines.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';
import { requestText, sendBytes } from './support/wire.js';

const ID = 'from-the-client.1';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SECRET = 'secret-of-this-test';

let log: LogLines;
let service: Service;
let user: Account;

async function start(env: Record<string, string> = {}): Promise<void> {
  log = new LogLines();
  service = await startService({ LOG_LEVEL: 'info', ...env });
  user = await service.account();
}

const requestLines = (): LogLine[] => log.lines.filter(({ msg }) => msg === 'request');

async function onlyLine(): Promise<LogLine> {
  await until(() => requestLines().length > 0);
  expect(requestLines()).toHaveLength(1);
  return requestLines()[0]!;
}

describe('with LOG_REQUESTS=errors', () => {
  beforeAll(() => start({ LOG_REQUESTS: 'errors' }));
  beforeEach(() => log.clear());

  it.each([
    ['GET', `/api/properties/999?token=${SECRET}`, '/api/properties/:id', 404, 'not-found'],
    ['PATCH', '/api/properties', '/**', 405, 'method-not-allowed'],
    ['GET', `/${SECRET}`, '/**', 404, 'not-found'],
    ['GET', '/api/users', '/api/users', 403, 'access-denied'],
    ['POST', '/api/transactions/search', '/api/transactions/search', 400, 'malformed-request'],
  ])('%s %s has one line of the route %s, %i and %s', async (method, path, route, status, slug) => {
    const body = method === 'POST' ? `{"${SECRET}` : undefined;
    const headers = { 'x-request-id': ID, traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await user.get('/api/properties'); // a success has no line
    expect((await user.send(method, path, { headers, body })).status).toBe(status);
    const line = await onlyLine();
    expect(line['milliseconds']).toBeLessThan(performance.now());
    expect(line).toEqual({
      ...{
        level: 'info',
        msg: 'request',
        application: 'property-finance',
        time: expect.any(String) as string,
      },
      ...{ requestId: ID, traceId: TRACE, spanId: expect.any(String) as string },
      ...{ method, route, status, slug, milliseconds: expect.any(Number) as number },
    });
    expect(log.lines).toHaveLength(1);
    expect(log.text).not.toContain(SECRET);
    expect(log.text).not.toContain(user.token);
  });

  it.each([requestText('GET /%zz HTTP/1.1', []), 'garbage\r\n\r\n'])(
    'the malformed %j has a line with the X-Request-Id of its response',
    async (bytes) => {
      const { headers } = await sendBytes(service.url, bytes);
      const line = await onlyLine();
      expect(line).toMatchObject({ status: 400, slug: 'malformed-request' });
      expect(line['requestId']).toBe(headers.get('x-request-id'));
      expect('method' in line).toBe(bytes.startsWith('GET'));
    },
  );
});

it('with LOG_REQUESTS=all a success has a line, too, without slug and trace', async () => {
  await start({ LOG_REQUESTS: 'all' });
  await user.get('/api/users/me');
  const line = await onlyLine();
  expect(line).toMatchObject({ method: 'GET', route: '/api/users/me', status: 200 });
  for (const name of ['slug', 'traceId']) expect(line).not.toHaveProperty(name);
});

it.each<Record<string, string>>([{}, { LOG_REQUESTS: 'all', LOG_LEVEL: 'warn' }])(
  'with %j no request has a line',
  async (env) => {
    await start(env);
    expect((await user.get('/api/properties/999')).status).toBe(404);
    await service.stop();
    expect(requestLines()).toEqual([]);
  },
);
