import { Database } from '../src/database/database.js';
import { Client } from './support/client.js';
import { parseExposition, valueOf } from './support/exposition.js';
import { Launched } from './support/launched.js';
import { outcomeOf } from './support/outcome.js';
import { type Service, startService } from './support/service.js';

const PATH = '/actuator/prometheus';
const TOKEN = 'qL0Yz3v9c2m8Tn1xWb7RkP4sJd6HfGuAoE5iVhNl+/==';
const REFUSED = '401 authentication-required';

describe('METRICS_TOKEN', () => {
  let service: Service;
  let scraper: Client;

  beforeAll(async () => {
    service = await startService({ METRICS_TOKEN: TOKEN });
    scraper = new Client(service.url, TOKEN);
  });
  afterEach(() => jest.restoreAllMocks());

  it.each(['GET', 'HEAD'])('admits %s of the metrics without reading the database', async (method) => {
    const read = jest.spyOn(service.app.get(Database), 'read');
    expect(outcomeOf(await scraper.send(method, PATH))).toBe('200');
    expect(read).not.toHaveBeenCalled();
  });

  it.each([
    ['GET', '/actuator'],
    ['GET', '/actuator/info'],
    ['GET', '/actuator/prometheus/'],
    ['GET', '/actuator%2fprometheus'],
    ['POST', PATH],
    ['OPTIONS', PATH],
    ['GET', '/api/users/me'],
    ['GET', '/api/users'],
    ['POST', '/api/transactions/search'],
    ['GET', '/no/such/path'],
  ])('admits nothing else: %s %s answers 401', async (method, path) => {
    expect(outcomeOf(await scraper.send(method, path))).toBe(REFUSED);
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

  it('admits ADMIN as well, and a USER as little as without it', async () => {
    const outcomes = [await service.account('ADMIN'), await service.account()].map((it) => it.get(PATH));
    expect((await Promise.all(outcomes)).map(outcomeOf)).toEqual(['200', '403 access-denied']);
  });

  it('admits while the database is away, when ADMIN gets 503', async () => {
    const away = await Launched.at('postgres://u@127.0.0.1:1/none', { METRICS_TOKEN: TOKEN });
    const answer = await new Client(away.anonymous.url, TOKEN).get(PATH);
    expect(valueOf(parseExposition(answer.text), 'hikaricp_connections_active')).toBe(0);
    expect(outcomeOf(await away.caller().get(PATH))).toBe('503 service-unavailable');
  });

  it('admits nobody to a service without it', async () => {
    const other = await Launched.at(service.settings.database.url);
    expect(outcomeOf(await new Client(other.anonymous.url, TOKEN).get(PATH))).toBe(REFUSED);
  });
});
