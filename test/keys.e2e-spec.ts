import { createHash } from 'node:crypto';
import { Requests } from '../src/http/requests.js';
import { KeysRepository } from '../src/keys/keys.repository.js';
import { bodyOf, expectFaults, outcomeOf } from './support/responses.js';
import { Client, type HttpResponse } from './support/client.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { KEY_FORGERIES } from './support/forgeries.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const PATH = '/api/keys';

let service: Service;
let owner: Account;
beforeAll(async () => (service = await startService()));
beforeEach(async () => (owner = await service.account()));

interface Key {
  readonly id: number;
  readonly key: string;
}

const create = async (access: string, more: object = {}, account = owner): Promise<Key> => {
  const response = await account.post(PATH, { name: 'Sync', access, ...more });
  expect(response.status).toBe(201);
  return bodyOf(response) as unknown as Key;
};
/** Each refusal is the same to the byte, but for the time and the path. */
function expectRefused(response: HttpResponse): void {
  const { type, title, status, detail, ...others } = bodyOf(response);
  expect([
    type,
    title,
    status,
    detail,
    Object.keys(others),
    response.headers.get('www-authenticate'),
  ]).toEqual([
    'urn:property-finance:problem:authentication-required',
    'Authentication required',
    401,
    'The bearer token is not valid.',
    ['instance', 'timestamp'],
    'Bearer realm="property-finance", error="invalid_token"',
  ]);
}
const holder = ({ key }: Key): Client => new Client(service.url, key);

describe('an API key', () => {
  it('is shown once, listed without its text, and kept as a digest alone', async () => {
    const { key, ...kept } = await create('READ', { expiresAt: '2999-01-01T00:00Z' });
    expect(key).toMatch(/^pfk_\d+_[\w-]{43}$/);
    expect(kept).toEqual({
      ...{ id: kept.id, name: 'Sync', access: 'READ', lastUsed: null },
      ...{ createdAt: expect.any(String) as string, expiresAt: '2999-01-01T00:00:00.000Z' },
    });
    const listed = await owner.get(PATH);
    expect(listed.json).toEqual([kept]);
    const [row] = await service.sql<{ digest: Buffer }>('SELECT * FROM api_keys WHERE id = $1', [kept.id]);
    expect(row!.digest).toEqual(createHash('sha256').update(key).digest());
    expect(JSON.stringify(row)).not.toContain(key.slice(-43));
    expect((await (await service.account()).get(PATH)).json).toEqual([]);
  });

  it('is of the account, whose role is read anew each time', async () => {
    const key = holder(await create('WRITE'));
    expect((await key.get('/api/users/me')).json).toMatchObject({ id: Number(owner.id), role: 'USER' });
    expect(outcomeOf(await key.get('/api/users'))).toBe('403 access-denied');
    await service.sql(`UPDATE users SET role = 'ADMIN' WHERE id = $1`, [owner.id]);
    expect((await key.get('/api/users')).status).toBe(200);
  });

  it.each<[access: string, write: string]>([
    ['READ', '403 access-denied'],
    ['WRITE', '200'],
  ])('of access %s reads; and a write is %s', async (access, write) => {
    const key = holder(await create(access));
    const { id } = await createProperty(owner);
    for (const path of ['/api/properties', `/api/transactions/property/${id}`, '/api/reports/cash-flow'])
      expect((await key.get(path)).status).toBe(200);
    for (const path of ['search', 'export'])
      expect((await key.post(`/api/transactions/${path}`, {})).status).toBe(200);
    const sent = [
      key.post('/api/transactions', transactionRequest(id)),
      key.put(`/api/properties/${id}`, propertyRequest()),
      key.delete(`/api/properties/${(await createProperty(owner)).id}`),
    ];
    for (const response of await Promise.all(sent)) expect(outcomeOf(response)).toBe(write);
    expect(outcomeOf(await key.post('/api/nothing', {}))).toBe('404 not-found');
    expect(outcomeOf(await key.delete('/api/properties'))).toBe('405 method-not-allowed');
  });

  it('neither creates, shows nor deletes keys, and signs nobody in', async () => {
    const made = await create('WRITE');
    const key = holder(made);
    for (const response of [
      await key.get(PATH),
      await key.post(PATH, { name: 'x', access: 'WRITE' }),
      await key.delete(`${PATH}/${made.id}`),
    ])
      expect(outcomeOf(response)).toBe('403 access-denied');
    const { username } = owner;
    const signIn = await key.post('/api/auth/signin', { username, password: made.key });
    expect(outcomeOf(signIn)).toBe('401 bad-credentials');
    const reader = holder(await create('READ')); // as a stale token, it keeps nobody from signing in
    expect(outcomeOf(await reader.post('/api/auth/signin', { username, password: 'x' }))).toBe(
      '401 bad-credentials',
    );
  });

  it.each<[name: string, revoke: (key: Key) => Promise<unknown>]>([
    ['deleted', ({ id }) => owner.delete(`${PATH}/${id}`)],
    ['expired', ({ id }) => service.sql('UPDATE api_keys SET expires_at = now() WHERE id = $1', [id])],
    ['of a deleted account', () => service.sql('DELETE FROM users WHERE id = $1', [owner.id])],
  ])('that is %s is refused at once, like any wrong one', async (_, revoke) => {
    const made = await create('WRITE');
    const key = holder(made);
    expect((await key.get('/api/properties')).status).toBe(200);
    await revoke(made);
    expectRefused(await key.get('/api/properties'));
    expectRefused(await key.get('/no/such/path'));
  });

  it.each(KEY_FORGERIES)('with %s is 401, as any other that is wrong', async (_, change) => {
    const [{ key }, other] = [await create('WRITE'), await create('WRITE')];
    const forged = new Client(service.url, change(key, other.key));
    expectRefused(await forged.get('/api/properties'));
    expect((await forged.get('/actuator/health')).text).toBe('{"status":"UP"}');
  });

  it('is in no metric, nor is its digest', async () => {
    const { key } = await create('READ');
    const reader = new Client(service.url, key);
    await Promise.all([
      reader.get(`/api/properties/${key}`),
      reader.get(`/${key}`),
      reader.post('/api/properties', {}),
    ]);
    const { text } = await (await service.account('ADMIN')).get('/actuator/prometheus');
    for (const secret of [key.slice(-43), createHash('sha256').update(key).digest('hex'), 'pfk_'])
      expect(text).not.toContain(secret);
  });

  it('is noted as used on the day, once', async () => {
    const made = await create('READ');
    const today = (): string => new Date().toISOString().slice(0, 10);
    const before = today();
    await Promise.all(Array.from({ length: 5 }, () => holder(made).get('/api/users/me')));
    const lastUsed = async (): Promise<unknown> =>
      ((await owner.get(PATH)).json as { lastUsed: unknown }[])[0]!.lastUsed;
    await until(async () => (await lastUsed()) !== null);
    expect([before, today()]).toContain(await lastUsed());
    await service.sql(`UPDATE api_keys SET last_used = '2020-01-01'`);
    await holder(made).get('/api/users/me');
    await until(async () => (await lastUsed()) !== '2020-01-01');
  });

  it('that was right before is looked up beside any number of forged ones', async () => {
    const key = holder(await create('READ'));
    expect((await key.get('/api/users/me')).status).toBe(200);
    const repository = service.app.get(KeysRepository);
    const find = repository.find.bind(repository);
    let open!: () => void;
    const isOpen = new Promise<void>((resolve) => (open = resolve));
    const held = jest.spyOn(repository, 'find').mockImplementation((ids) => isOpen.then(() => find(ids)));
    const forged = new Client(service.url, `pfk_1_${'A'.repeat(43)}`);
    const statuses: number[] = [];
    const all = Array.from({ length: 300 }, async () => statuses.push((await forged.get('/x')).status));
    await until(() => statuses.length === 44); // refused at once
    const own = key.get('/api/users/me');
    await Promise.race([own, until(() => service.app.get(Requests).inFlight.length === 257)]);
    open();
    expect((await own).status).toBe(200);
    await Promise.all(all);
    held.mockRestore();
    expect(statuses).toEqual([...Array<number>(44).fill(503), ...Array<number>(256).fill(401)]);
  });
});

describe(PATH, () => {
  it('has 20 keys of an account and no more, also when 25 are created at once; and 20 again behind a deletion', async () => {
    const another = async () => outcomeOf(await owner.post(PATH, { name: '', access: 'READ' }));
    const outcomes = await Promise.all(Array.from({ length: 25 }, another));
    expect(outcomes.toSorted()).toEqual([
      ...Array<string>(20).fill('201'),
      ...Array<string>(5).fill('409 resource-in-use'),
    ]);
    expect(await another()).toBe('409 resource-in-use');
    const [first] = (await owner.get(PATH)).json as Key[];
    expect((await owner.delete(`${PATH}/${first!.id}`)).status).toBe(200);
    await create('WRITE');
  });

  it('answers 400 for a key that is none', async () => {
    expectFaults(await owner.post(PATH, {}), 'name', 'access');
    const faulty = { name: 'x'.repeat(256), access: 'ADMIN', expiresAt: '2020-01-01' };
    expectFaults(await owner.post(PATH, faulty), 'name', 'access', 'expiresAt');
    const past = { name: 'x', expiresAt: '2020-01-01T00:00Z' };
    expect(expectFaults(await owner.post(PATH, past), 'access', 'expiresAt')).toEqual({
      access: 'is required',
      expiresAt: 'must be in the future',
    });
  });

  it('deletes no key of another account', async () => {
    const { id } = await create('READ');
    expect(outcomeOf(await (await service.account('ADMIN')).delete(`${PATH}/${id}`))).toBe('404 not-found');
    expect((await owner.delete(`${PATH}/${id}`)).status).toBe(200);
    expect(outcomeOf(await owner.delete(`${PATH}/${id}`))).toBe('404 not-found');
  });
});
