import { Database } from '../src/database/database.js';
import { Client } from './support/client.js';
import { parseExposition, valueOf } from './support/exposition.js';
import { outcomeOf } from './support/outcome.js';
import { Service, startService } from './support/service.js';

const PATH = '/actuator/prometheus';
const TOKEN = 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGuAoE5iVhNl+/==';
const REFUSED = '401 authentication-required';

describe('METRICS_TOKEN', () => {
  let service: Service;
  beforeAll(async () => (service = await startService({ METRICS_TOKEN: TOKEN })));
  afterEach(() => jest.restoreAllMocks());

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
    [REFUSED, 'GET', '/api/users'],
    [REFUSED, 'POST', '/api/transactions/search'],
    [REFUSED, 'GET', '/no/such/path'],
  ])('answers %s to %s %s without reading the database', async (outcome, method, path) => {
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
  ])('answers %s to %s', async (outcome, authorization) => {
    expect(outcomeOf(await service.anonymous.get(PATH, { authorization }))).toBe(outcome);
  });

  it('admits ADMIN as well, and no USER', async () => {
    const outcomes = [await service.account('ADMIN'), await service.account()].map((it) => it.get(PATH));
    expect((await Promise.all(outcomes)).map(outcomeOf)).toEqual(['200', '403 access-denied']);
  });

  it('admits while the database is away, when ADMIN gets 503', async () => {
    const away = await Service.at('postgres://u@127.0.0.1:1/none', { METRICS_TOKEN: TOKEN });
    const answer = await new Client(away.anonymous.url, TOKEN).get(PATH);
    expect(valueOf(parseExposition(answer.text), 'hikaricp_connections_active')).toBe(0);
    expect(outcomeOf(await away.caller().get(PATH))).toBe('503 service-unavailable');
  });
});

it('a bearer of any text gets 401 from a service without METRICS_TOKEN', async () => {
  const { anonymous } = await Service.at('postgres://u@127.0.0.1:1/none');
  expect(outcomeOf(await new Client(anonymous.url, TOKEN).get(PATH))).toBe(REFUSED);
});
