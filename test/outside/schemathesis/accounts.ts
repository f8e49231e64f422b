import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../faults/support/cluster.js';
import { jsonIn, withCaller } from '../../faults/support/http.js';

/** The two that schemathesis.toml names as peers, and the ADMIN. */
const NAMES = ['owner', 'neighbour', 'admin'] as const;
const PASSWORD = 'correct horse battery';

export interface Accounts {
  /** Of the form that Schemathesis reads. */
  readonly file: string;
  readonly adminToken: string;
}

/** Makes them through the service itself, and writes their tokens to a file in this folder. */
export async function makeAccounts(url: string, cluster: Cluster, folder: string): Promise<Accounts> {
  const tokens = new Map<string, string>();
  await withCaller(url, async (caller) => {
    for (const username of NAMES) {
      const account = { username, password: PASSWORD };
      await caller.post('/api/auth/signup', { ...account, email: `${username}@accounts.example` });
      const session = await caller.post('/api/auth/signin', account);
      const { accessToken } = jsonIn(session) as { accessToken: string };
      tokens.set(username, accessToken);
    }
  });
  await cluster.sql(`UPDATE users SET role = 'ADMIN' WHERE username = 'admin'`);
  await protectAccounts(cluster);
  const file = join(folder, 'accounts.json');
  writeFileSync(file, JSON.stringify({ auth: [...tokens].map(identity) }));
  return { file, adminToken: tokens.get('admin') ?? '' };
}

/** The ADMIN's random DELETEs must not end the run: to the service, the row of such an account is gone already. */
async function protectAccounts({ sql }: Cluster): Promise<void> {
  await sql(`CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
  await sql(`CREATE TRIGGER keep BEFORE DELETE ON users FOR EACH ROW
    WHEN (OLD.email LIKE '%@accounts.example') EXECUTE FUNCTION keep()`);
}

function identity([name, token]: [string, string]): object {
  return { name, fixedHeaders: [{ name: 'Authorization', value: `Bearer ${token}` }] };
}
