import { nextOf } from '../test/support/cursor-walk.js';
import { NULLABLE, type TransactionSortField } from '../src/transactions/transactions.sort.js';
import { deepPage, get } from './cases.js';
import { print, progress } from './command.js';
import { READER } from './dataset.js';
import type { LoadRequest } from './load.js';
import { SORTS } from './paths.js';
import { atMost, type Column, digits, header, line, type Verdict } from './report.js';
import type { Server } from './servers.js';
import { slowdown } from './slowdown.js';
import { LIMITS } from './targets.js';
import { DifferentAnswers } from './verify.js';
import type { World } from './world.js';

const ROUNDS = 10;
/** Of requests in each. */
const AMOUNT = 5;

const COLUMNS: readonly Column[] = [
  ['order', -18],
  ['page', 6],
  ['by cursor, ms', 15],
  ['first page', 12],
  ['ratio', 8],
];

/** A page far behind in the largest owner's rows, by cursor, against the first one, in every order. */
export async function measureCursors({ url }: Server, world: World): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  print(`\n${header(COLUMNS)}`);
  for (const sort of SORTS) {
    const first = { url, requests: [get(world, READER, `/api/transactions?sort=${sort}&cursor=`)] };
    for (const page of pagesOf(sort, world)) {
      const name = `cursor: ${sort}, page ${page}`;
      progress(name);
      const behind = { url, requests: [await requestFor(sort, page, url, world)] };
      const found = await slowdown(behind, first, ROUNDS, { amount: AMOUNT }, LIMITS.cursorFloor);
      const { latency, base, ratio } = found;
      print(line(COLUMNS, [sort, String(page), ...[latency, base, ratio].map(digits)]));
      verdicts.push(atMost(name, ratio, LIMITS.cursor));
    }
  }
  return verdicts;
}

/** The one in the middle and, where some rows have no value, one among those that have and one among those that have not. */
function pagesOf(sort: string, world: World): number[] {
  const middle = deepPage(world);
  const field = sort.replace(/,.*/, '');
  const half = Math.ceil(middle / 2);
  return NULLABLE.has(field as TransactionSortField) ? [half, middle, middle + half] : [middle];
}

/** By the link of the page before, which is asked for by its number. Throws unless that is the page of this number. */
async function requestFor(sort: string, page: number, url: string, world: World): Promise<LoadRequest> {
  const byNumber = (number: number): LoadRequest =>
    get(world, READER, `/api/transactions?sort=${sort}&page=${number}`);
  const answerTo = ({ path, headers }: LoadRequest): Promise<Response> => fetch(url + path, { headers });
  const before = await answerTo(byNumber(page - 1));
  await before.text();
  const byCursor = get(world, READER, nextOf(before) ?? '');
  const texts = [byNumber(page), byCursor].map(async (request) => (await answerTo(request)).text());
  const [one, other] = await Promise.all(texts);
  if (one !== other) throw new DifferentAnswers(`page ${page} by ${sort} is another by cursor:\n${other}`);
  return byCursor;
}
