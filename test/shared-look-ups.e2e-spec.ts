import { citusServers } from './support/citus.js';
import { createDatabase } from './support/database.js';
import { createProperty, createTransaction } from './support/factories.js';
import { pretendCitus } from './support/fake-citus.js';
import { watchStatements } from './support/sent-statements.js';
import { startService } from './support/service.js';

const MISSING = 9_007_199_254_740_991;

it.each([
  ['share statements of at most 16 rows', false],
  ['have a statement each where owners are on several servers', true],
])(
  'GET of many rows of two owners at once finds each row by its owner, and the look-ups %s',
  async (_, spread) => {
    const url = await createDatabase();
    if (spread) await pretendCitus(url, {});
    const service = await startService({}, url);
    const accounts = [await service.account(), await service.account()];
    const paths = [`/api/properties/${MISSING}`, `/api/transactions/${MISSING}`];
    for (const account of accounts)
      for (let index = 0; index < 4; index++) {
        const { id } = await createProperty(account);
        paths.push(`/api/properties/${id}`, `/api/transactions/${(await createTransaction(account, id)).id}`);
      }
    const requests = paths.flatMap((path) => accounts.map((account) => ({ path, account })));
    const get = async ({ path, account }: (typeof requests)[number]): Promise<unknown> => {
      const { status, headers, text } = await account.get(path);
      return { path, status, etag: headers.get('etag'), row: status === 200 ? text : null };
    };
    const alone: unknown[] = [];
    for (const request of requests) alone.push(await get(request));

    const sent = watchStatements();
    expect(await Promise.all(requests.map(get))).toEqual(alone);
    const shared = sent.all().flatMap(({ text, values: [owners] }) => {
      return /FROM unnest\(.* t\.owner_id = k\.owner_id/s.test(text) ? [(owners as unknown[]).length] : [];
    });
    expect(shared.filter((rows) => rows < 2 || rows > 16)).toEqual([]);
    expect(shared.length > 0).toBe(!spread && citusServers().length === 0);
  },
);
