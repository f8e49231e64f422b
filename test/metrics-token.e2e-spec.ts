import { Database } from '../src/database/database.js';
import { Client } from './support/client.js';
import { sendExactly } from './support/exact-request.js';
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

  it('admits to the metrics, by GET and HEAD, without a look into the database', async () => {
    const read = jest.spyOn(service.app.get(Database), 'read');
    const answer = await scraper.get(PATH);
    expect(answer.status).toBe(200);
    const families = parseExposition(answer.text);
    expect(valueOf(families, 'hikaricp_connections_max')).toBe(10);
    expect(families.has('scrape_token_expiry_timestamp_seconds')).toBe(false);
    const head = await scraper.send('HEAD', PATH);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(read).not.toHaveBeenCalled();
  });

  it.each([
    ['GET', '/actuator'],
    ['GET', '/actuator/info'],
    ['GET', '/actuator/prometheus/'],
    ['GET', '/actuator/prometheus/x'],
    ['GET', '/ACTUATOR/PROMETHEUS'],
    ['GET', '/actuator%2fprometheus'],
    ['POST', PATH],
    ['PUT', PATH],
    ['DELETE', PATH],
    ['OPTIONS', PATH],
    ['GET', '/api/users/me'],
    ['GET', '/api/users'],
    ['GET', '/api/properties'],
    ['POST', '/api/transactions/search'],
    ['GET', '/no/such/path'],
  ])('admits to nothing else: %s %s', async (method, path) => {
    expect(outcomeOf(await scraper.send(method, path))).toBe(REFUSED);
  });

  it('answers its bearer as anonymous callers on public paths', async () => {
    const health = await scraper.get('/actuator/health');
    expect([health.status, health.text]).toEqual([200, '{"status":"UP"}']);
  });

  it.each<[string, string[]]>([
    ['with another last character', ['authorization', `Bearer ${TOKEN.slice(0, -3)}+==`]],
    ['cut short', ['authorization', `Bearer ${TOKEN.slice(0, -1)}`]],
    ['with more after it', ['authorization', `Bearer ${TOKEN}=`]],
    ['in another case', ['authorization', `Bearer ${TOKEN.toLowerCase()}`]],
    ['as Basic', ['authorization', `Basic ${TOKEN}`]],
    ['twice', ['authorization', `Bearer ${TOKEN}`, 'authorization', `Bearer ${TOKEN}`]],
    ['in another header', ['x-metrics-token', TOKEN]],
    ['not at all', []],
  ])('is refused %s', async (_, headers) => {
    expect(outcomeOf(await sendExactly(service.url, { path: PATH, headers }))).toBe(REFUSED);
  });

  it('is taken with the scheme in any case', async () => {
    const headers = ['authorization', `bEARER ${TOKEN}`];
    expect((await sendExactly(service.url, { path: PATH, headers })).status).toBe(200);
  });

  it('takes nothing from an ADMIN, and gives nothing to a USER', async () => {
    const [admin, user] = [await service.account('ADMIN'), await service.account()];
    expect(outcomeOf(await admin.get(PATH))).toBe('200');
    expect(outcomeOf(await user.get(PATH))).toBe('403 access-denied');
  });

  it('admits while the database is away, when an ADMIN has to be refused', async () => {
    const away = await Launched.at('postgres://u@127.0.0.1:1/none', { METRICS_TOKEN: TOKEN });
    const answer = await new Client(away.anonymous.url, TOKEN).get(PATH);
    expect(answer.status).toBe(200);
    expect(valueOf(parseExposition(answer.text), 'hikaricp_connections_active')).toBe(0);
    expect(outcomeOf(await away.caller().get(PATH))).toBe('503 service-unavailable');
  });

  it('is no token of a service that has none', async () => {
    const other = await Launched.at(service.settings.database.url);
    expect(outcomeOf(await new Client(other.anonymous.url, TOKEN).get(PATH))).toBe(REFUSED);
  });
});
