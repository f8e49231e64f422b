import { bodyOf } from './support/answers.js';
import { citusServers } from './support/citus.js';
import { createDatabase } from './support/database.js';
import { createProperty, createTransaction } from './support/factories.js';
import { pretendCitus } from './support/fake-citus.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';

const MISSING = 9_007_199_254_740_991;

/** Two owners, and the paths of all that they have. */
async function owners(service: Service): Promise<{ accounts: Account[]; paths: string[] }> {
  const accounts = [await service.account(), await service.account()];
  const paths = [`/api/properties/${MISSING}`, `/api/transactions/${MISSING}`];
  for (const account of accounts)
    for (let index = 0; index < 4; index++) {
      const { id } = await createProperty(account);
      paths.push(`/api/properties/${id}`);
      paths.push(`/api/transactions/${(await createTransaction(account, id)).id}`);
    }
  return { accounts, paths };
}

/** What each account gets of each path, asked for one after the other or all at once. */
async function answers(accounts: Account[], paths: string[], atOnce: boolean): Promise<unknown[]> {
  const asked: Promise<unknown>[] = [];
  for (const path of paths)
    for (const account of accounts) {
      const answer = account.get(path).then((given) => {
        const { status, headers } = given;
        return { path, status, etag: headers.get('etag'), row: status === 200 ? bodyOf(given) : null };
      });
      asked.push(answer);
      if (!atOnce) await answer;
    }
  return Promise.all(asked);
}

function sharedStatements(sent: ReturnType<typeof watchStatements>): unknown[][] {
  return sent
    .all()
    .filter(({ text }) => /FROM unnest\(.* t\.owner_id = k\.owner_id/s.test(text))
    .map(({ values: [ids] }) => ids as unknown[]);
}

describe('rows that several ask for at once', () => {
  it('are found by fewer statements, and each by its owner alone', async () => {
    const service = await startService();
    const { accounts, paths } = await owners(service);
    const oneByOne = await answers(accounts, paths, false);
    const sent = watchStatements();
    expect(await answers(accounts, paths, true)).toEqual(oneByOne);
    const shared = sharedStatements(sent);
    if (citusServers().length === 0) expect(shared).not.toEqual([]);
    expect(shared.filter((ids) => ids.length < 2 || ids.length > 16)).toEqual([]);
  });

  it('are looked up one by one where owners are on several servers', async () => {
    const url = await createDatabase();
    await pretendCitus(url, {});
    const service = await startService({}, url);
    const { accounts, paths } = await owners(service);
    const sent = watchStatements();
    await answers(accounts, paths, true);
    expect(sharedStatements(sent)).toEqual([]);
  });
});
