import { PropertiesService } from '../src/properties/properties.service.js';
import type { Answer } from './support/client.js';
import { LogLines } from './support/log-lines.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes } from './support/wire.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${PARENT}-01`;
const ANSWERED = /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7|0{16})([\da-f]{16})-00$/;

let service: Service;
let user: Account;
let log: LogLines;

beforeAll(async () => {
  log = new LogLines();
  service = await startService({ LOG_LEVEL: 'warn' });
  user = await service.account();
});
beforeEach(() => log.clear());
afterEach(() => void jest.restoreAllMocks());

const responseTo = async (...values: string[]): Promise<string | null> => {
  const headers = values.flatMap((value) => ['traceparent', value]);
  const answer = await service.anonymous.send('GET', '/actuator/health', { headers });
  return answer.headers.get('traceresponse');
};

it.each([
  VALID,
  `00-${TRACE}-${PARENT}-00`,
  ` \t${VALID}\t `,
  `cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`,
  `01-${TRACE}-${PARENT}-01-`,
])('traceparent "%s" gets a traceresponse, and none when it is sent twice', async (value) => {
  expect(await responseTo(value)).toMatch(ANSWERED);
  expect(await responseTo(value, value)).toBeNull();
});

it.each([
  '',
  `ff-${TRACE}-${PARENT}-01`,
  `CC-${TRACE}-${PARENT}-01`,
  `000-${TRACE}-${PARENT}-01`,
  `${VALID}-`,
  `cc-${TRACE}-${PARENT}-01.more`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${TRACE.slice(1)}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}0-01`,
  `00-${TRACE}-${PARENT}-1`,
  `${VALID},${VALID}`,
])('traceparent "%s" is ignored', async (value) => {
  expect(await responseTo(value)).toBeNull();
});

it('two requests of a trace get two spans', async () => {
  expect(await responseTo(VALID)).not.toBe(await responseTo(VALID));
});

it.each([
  [200, 'GET /api/properties', ['Authorization']],
  [401, 'GET /api/properties', []],
  [404, 'GET /none', ['Authorization']],
  [400, 'GET /%zz', []],
  [405, 'CONNECT a:1', []],
])('%i to %s has a traceresponse', async (status, line, fields) => {
  const headers = [`traceparent: ${VALID}`, ...fields.map((name) => `${name}: Bearer ${user.token!}`)];
  const answer = await sendBytes(service.url, requestText(`${line} HTTP/1.1`, headers));
  expect([answer.status, answer.headers.get('traceresponse')]).toEqual([
    status,
    expect.stringMatching(ANSWERED),
  ]);
});

const failing = async (headers: Record<string, string>): Promise<Answer> => {
  jest.spyOn(service.app.get(PropertiesService), 'list').mockRejectedValueOnce(new Error('broken'));
  return user.get('/api/properties', headers);
};

it('the log line of a failure has the trace', async () => {
  const answer = await failing({ traceparent: VALID });
  const spanId = ANSWERED.exec(answer.headers.get('traceresponse') ?? '')?.[1];
  const { correlationId } = answer.json as { correlationId: string };
  expect(log.at('error')).toMatchObject([{ traceId: TRACE, spanId, correlationId }]);
});

it.each<Record<string, string>>([{}, { traceparent: `${VALID}-` }])(
  'the log line of a failure with %j has no trace',
  async (headers) => {
    expect((await failing(headers)).headers.has('traceresponse')).toBe(false);
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).not.toHaveProperty('traceId');
  },
);
