import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '../support/accounts.js';
import type { Cluster } from '../support/cluster.js';
import { none, responsesAreRight } from '../support/criteria.js';
import { type Reply, withCaller } from '../support/http.js';
import { crowd } from './crowd.js';

const PAGE = '/api/properties?size=100';
/** Of two texts of a property, each as long as it may be. */
const LENGTH = 10_000;
/** In bytes: JSON writes a control character with six. */
const PAGE_SIZE = 100 * 2 * LENGTH * 6;
const READERS = 50;
/** Milliseconds, as a refusal says. */
const RETRY_AFTER = 1000;

/** Pages that no client reads are in test/large-responses.e2e-spec.ts. */
export const LARGE_RESPONSES = crowd({
  name: 'large-responses',
  title: `pages of ${Math.round(PAGE_SIZE / 1e6)} MB: ${READERS} connections ask for them`,
  async press({ cluster, service: { url }, owners }, short) {
    for (const owner of owners) await fillPage(cluster, owner);
    const end = performance.now() + (short ? 5000 : 60_000);
    const replies: Reply[] = [];
    const broken: string[] = [];
    const read = ({ token }: Owner): Promise<void> =>
      withCaller(url, async (caller) => {
        while (performance.now() < end) {
          const { text, ...reply } = await caller.get(PAGE, token);
          const isWhole = text.length > PAGE_SIZE && text.endsWith('"last":true}');
          if (reply.status === 200 && !isWhole) broken.push(`${text.length} characters`);
          replies.push({ ...reply, text: '' }); // a long run would keep every page
          if (reply.status !== 200) await sleep(RETRY_AFTER);
        }
      });
    await Promise.all(Array.from({ length: READERS }, (_, index) => read(owners[index % owners.length]!)));
    return [...responsesAreRight(replies), none('page that is not whole', broken)];
  },
});

/** Gives an owner of one property a hundred with the worst texts. */
async function fillPage({ sql }: Cluster, { id }: Owner): Promise<void> {
  const columns = 'owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active';
  await sql(
    `INSERT INTO properties (${columns}) SELECT ${columns} FROM properties, generate_series(1, 99) WHERE owner_id = $1`,
    [id],
  );
  await sql(
    `UPDATE properties SET house_rules = repeat(chr(1), $2), check_in_instructions = repeat(chr(2), $2) WHERE owner_id = $1`,
    [id, LENGTH],
  );
}
