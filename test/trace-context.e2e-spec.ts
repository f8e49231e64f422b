import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes } from './support/wire.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${PARENT}-01`;
const ANSWERED = /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7|0{16})([\da-f]{16})-00$/;

let service: Service;
let user: Account;

beforeAll(async () => {
  service = await startService();
  user = await service.account();
});

const responseTo = async (...values: string[]): Promise<string | null> => {
  const headers = values.flatMap((value) => ['traceparent', value]);
  const response = await service.anonymous.send('GET', '/actuator/health', { headers });
  return response.headers.get('traceresponse');
};

it.each([
  ...[VALID, `00-${TRACE}-${PARENT}-00`, ` \t${VALID}\t `, `01-${TRACE}-${PARENT}-01-`],
  `cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`,
])('traceparent "%s" gets a new traceresponse each time, and none when it is sent twice', async (value) => {
  const [one, other] = [await responseTo(value), await responseTo(value)];
  expect([one, other]).toEqual([expect.stringMatching(ANSWERED), expect.stringMatching(ANSWERED)]);
  expect(one).not.toBe(other);
  expect(await responseTo(value, value)).toBeNull();
});

it.each([
  ...['', `ff-${TRACE}-${PARENT}-01`, `CC-${TRACE}-${PARENT}-01`, `000-${TRACE}-${PARENT}-01`, `${VALID}-`],
  ...[`cc-${TRACE}-${PARENT}-01.more`, `00-${'0'.repeat(32)}-${PARENT}-01`, `${VALID},${VALID}`],
  ...[`00-${TRACE}-${'0'.repeat(16)}-01`, `00-${TRACE.toUpperCase()}-${PARENT}-01`],
  ...[`00-${TRACE.slice(1)}-${PARENT}-01`, `00-${TRACE}-${PARENT}0-01`, `00-${TRACE}-${PARENT}-1`],
])('traceparent "%s" is ignored', async (value) => {
  expect(await responseTo(value)).toBeNull();
});

it.each([
  [200, 'GET /api/properties', ['Authorization']],
  [401, 'GET /api/properties', []],
  [404, 'GET /none', ['Authorization']],
  [400, 'GET /%zz', []],
  [405, 'CONNECT a:1', []],
])('%i to %s has a traceresponse', async (status, line, fields) => {
  const headers = [`traceparent: ${VALID}`, ...fields.map((name) => `${name}: Bearer ${user.token!}`)];
  const response = await sendBytes(service.url, requestText(`${line} HTTP/1.1`, headers));
  expect(response.status).toBe(status);
  expect(response.headers.get('traceresponse')).toMatch(ANSWERED);
});
