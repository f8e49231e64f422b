import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OPERATIONS, operationOf } from './support/api-document.js';
import { brunoRequests, brunoVariables } from './support/examples/bruno.js';
import { readHttpFile } from './support/examples/http-file.js';
import { Playback } from './support/examples/playback.js';
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

  it.each(['a fresh service', 'what its own run has left behind'])(
    'is answered as it says, request by request, by %s',
    async () => {
      const playback = new Playback({ ...variables, ...own });
      const statuses: string[] = [];
      for (const request of requests) {
        const { status } = await playback.send(request);
        statuses.push(`${request.name} ${status}`);
      }
      expect(statuses).toEqual(requests.map(({ name, expected }) => `${name} ${expected}`));
    },
  );

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
