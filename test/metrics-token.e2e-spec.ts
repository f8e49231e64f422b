import { Database } from '../src/database/database.js';
import { outcomeOf } from './support/responses.js';
import { Client } from './support/client.js';
import { Service, startService } from './support/service.js';

const PATH = '/actuator/prometheus';
const TOKEN = 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGuAoE5iVhNl+/==';
const REFUSED = '401 authentication-required';

let service: Service;
beforeAll(async () => (service = await startService({ METRICS_TOKEN: TOKEN })));

it.each([
  ['200', 'GET', PATH],
  ['200', 'HEAD', PATH],
  [REFUSED, 'POST', PATH],
  [REFUSED, 'OPTIONS', PATH],
  [REFUSED, 'GET', `${PATH}/`],
  [REFUSED, 'GET', '/actuator%2fprometheus'],
  [REFUSED, 'GET', '/actuator'],
  [REFUSED, 'GET', '/actuator/info'],
  [REFUSED, 'GET', '/api/users/me'],
  [REFUSED, 'POST', '/api/transactions/search'],
  [REFUSED, 'GET', '/no/such/path'],
])('METRICS_TOKEN gets %s from %s %s, and the database is not read', async (outcome, method, path) => {
  const read = jest.spyOn(service.app.get(Database), 'read');
  expect(outcomeOf(await new Client(service.url, TOKEN).send(method, path))).toBe(outcome);
  expect(read).not.toHaveBeenCalled();
});

it.each([
  ['200', `bEARER ${TOKEN}`],
  [REFUSED, `Bearer ${TOKEN.slice(0, -3)}+==`],
  [REFUSED, `Bearer ${TOKEN.slice(0, -1)}`],
  [REFUSED, `Bearer ${TOKEN}=`],
  [REFUSED, `Bearer ${TOKEN.toLowerCase()}`],
  [REFUSED, `Basic ${TOKEN}`],
])('the metrics answer %s to %s', async (outcome, authorization) => {
  expect(outcomeOf(await service.anonymous.get(PATH, { authorization }))).toBe(outcome);
});

it('beside METRICS_TOKEN the metrics admit ADMIN, and no USER', async () => {
  const outcomes = [await service.account('ADMIN'), await service.account()].map((it) => it.get(PATH));
  expect((await Promise.all(outcomes)).map(outcomeOf)).toEqual(['200', '403 access-denied']);
});

it.each([
  ['200', '503 service-unavailable', { METRICS_TOKEN: TOKEN }],
  [REFUSED, '503 service-unavailable', {}],
])(
  'with the database away its bearer gets %s and ADMIN %s from a service with %j',
  async (ofToken, ofAdmin, env) => {
    const away = await Service.at('postgres://u@127.0.0.1:1/none', env);
    expect(outcomeOf(await new Client(away.url, TOKEN).get(PATH))).toBe(ofToken);
    expect(outcomeOf(await away.caller().get(PATH))).toBe(ofAdmin);
  },
);
