import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OPERATIONS, operationOf } from './support/api-document.js';
import { brunoRequests, brunoVariables } from './support/examples/bruno.js';
import { readHttpFile } from './support/examples/http-file.js';
import { type ExampleRequest, Playback } from './support/examples/playback.js';
import { type Service, startService } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url));
const httpFile = readHttpFile(readFileSync(`${EXAMPLES}property-finance.http`, 'utf8'));

describe.each([
  { name: 'the .http file', ...httpFile },
  {
    name: 'the Bruno collection',
    variables: brunoVariables(`${EXAMPLES}bruno`, 'local'),
    requests: brunoRequests(`${EXAMPLES}bruno`),
  },
])('$name', ({ variables, requests }) => {
  let service: Service;
  let own: Record<string, string>;

  beforeAll(async () => {
    service = await startService();
    const admin = signUpRequest();
    await signUp(service.anonymous, admin);
    await service.sql(`UPDATE users SET role = 'ADMIN' WHERE username = $1`, [admin.username]);
    own = { baseUrl: service.url, adminUsername: admin.username, adminPassword: admin.password };
  });

  /** The requests with another status than the file expects. */
  async function missesOf(sent: readonly ExampleRequest[]): Promise<string[]> {
    const playback = new Playback({ ...variables, ...own });
    const misses: string[] = [];
    for (const request of sent) {
      const { status } = await playback.send(request);
      if (!request.expected.includes(status)) misses.push(`${request.name} ${status}`);
    }
    return misses;
  }

  it('gets the statuses that it expects, request by request, from a fresh service', async () => {
    expect(await missesOf(requests)).toEqual([]);
    expect(requests.filter(({ expected }) => expected.length === 0)).toEqual([]);
  });

  it('gets them again after a run that could not sign in as an ADMIN', async () => {
    const byUser = requests.filter((request) => !JSON.stringify(request).includes('admin'));
    await missesOf(byUser);
    expect(await service.sql('SELECT 1 FROM users')).toHaveLength(2);
    expect(await missesOf(requests)).toEqual([]);
  });

  it('leaves nothing behind', async () => {
    const counts = await service.sql(`SELECT (SELECT count(*)::int FROM users) AS users,
      (SELECT count(*)::int FROM properties) AS properties, (SELECT count(*)::int FROM transactions) AS transactions`);
    expect(counts).toEqual([{ users: 1, properties: 0, transactions: 0 }]);
  });

  it('has every operation of the API, and nothing else', () => {
    const used = requests.map(
      ({ method, url }) => operationOf(method, url.replace('{{baseUrl}}', ''))?.operation,
    );
    const ids = new Set(used.map((operation) => operation?.operationId));
    expect([...ids].toSorted()).toEqual(OPERATIONS.map(({ operation }) => operation.operationId).toSorted());
  });

  it('addresses the quickstart', () => {
    expect(variables).toMatchObject({ baseUrl: 'http://127.0.0.1:8080', adminUsername: 'admin' });
  });
});
