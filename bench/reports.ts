import { get } from './cases.js';
import { MEDIUM, READER, sharesOf } from './dataset.js';
import { AMOUNT, type Path } from './paths.js';
import { LIMITS } from './targets.js';
import type { World } from './world.js';

const PERIODS = { 'a year': 'from=2024-01-01&to=2024-12-31&', 'all years': '' };
const LEVELS = ['', 'property', 'category', 'month', 'property,month', 'category,month'];
const BASES = ['accrual', 'cash'];

/** By what they are called. */
const PROFIT_AND_LOSS = Object.entries(PERIODS).flatMap(([when, period]) =>
  BASES.flatMap((basis) =>
    LEVELS.map((levels) => {
      const name = `profit and loss, ${when}${levels && ` by ${levels}`}, ${basis}`;
      const grouped = levels && `&groupBy=${levels}`;
      return [name, `profit-and-loss?${period}timeZone=Europe/Lisbon&basis=${basis}${grouped}`] as const;
    }),
  ),
);

/** Of the owner with the most rows, of a year of three and of all, and a cash flow of one property. */
export function reportsOf(world: World): Path[] {
  const report = (name: string, query: string, owner = READER): Path => ({
    name,
    request: get(world, owner, `/api/reports/${query}`),
    amount: AMOUNT.ofOwner,
    limit: LIMITS.report,
  });
  const [ofReader, , ofMedium] = sharesOf(world.dataset).map(({ firstProperty }) => firstProperty);
  const refused = report('cash flow with too many occurrences', `cash-flow?propertyId=${ofReader}`);
  return [
    ...PROFIT_AND_LOSS.map(([name, query]) => report(name, query)),
    report('tax year', 'tax-year?year=2024'),
    report('cash flow of a property of 80 rows', `cash-flow?propertyId=${ofMedium}`, MEDIUM),
    { ...refused, status: 400 }, // which is found out only when all is added up
  ];
}
