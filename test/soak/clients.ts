import type { Cluster } from '../faults/support/cluster.js';
import { withCaller } from '../faults/support/http.js';
import type { Rig } from '../faults/support/rig.js';
import { Host } from './host.js';
import { FaultyClient } from './faulty-client.js';
import { Rounds } from './rounds.js';
import { type Client, freshToken, type Context } from './context.js';

const HOSTS = 20;
const FAULTY_CLIENTS = 8;
/** As many as the service remembers: what is bounded has to be full, or its filling would look like a leak. */
const REMEMBERED_TOKENS = 5000;
const TOKENS_AT_ONCE = 8;

/** All clients of the load. */
export async function makeClients(
  rig: Rig,
  { sql }: Pick<Cluster, 'sql'>,
  context: Context,
): Promise<{ adminId: string; clients: readonly Client[] }> {
  const owners = await rig.owners(context.url, FAULTY_CLIENTS + 2);
  const [adminId = '', formerId = ''] = owners.splice(0, 2).map(({ id }) => id);
  await sql(`UPDATE users SET role = 'ADMIN' WHERE id = $1`, [adminId]);
  await sql('DELETE FROM properties WHERE owner_id = $1', [formerId]);
  await sql('DELETE FROM users WHERE id = $1', [formerId]);
  await fillTokens(context, adminId);
  const clients = [
    ...Array.from({ length: HOSTS }, () => new Host(context, adminId)),
    ...(await FaultyClient.all(context, owners, formerId)),
    Rounds.ofAdmin(context, adminId),
    Rounds.ofProber(context),
  ];
  return { adminId, clients };
}

async function fillTokens({ url, random }: Context, id: string): Promise<void> {
  await withCaller(url, async (caller) => {
    let left = REMEMBERED_TOKENS;
    const fill = async (): Promise<void> => {
      while (left-- > 0) await caller.get('/api/users/me', freshToken(id, random));
    };
    await Promise.all(Array.from({ length: TOKENS_AT_ONCE }, fill));
  });
}
