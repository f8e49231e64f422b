import type { BoundStatement } from '../database/database.js';
import { FACETS } from '../transactions/facets.js';
import { CATEGORIES, type Category } from '../transactions/transaction.enums.js';
import type { Level, TaxYearQuery } from './reports.dto.js';
import { sums, type SumsRow } from './sums.js';

export const MAX_PROPERTIES = 500;
const GROUP_BY: readonly Level[] = ['property', 'category'];
/** Rows of a property: its categories, and their sum. */
const ROWS = CATEGORIES.length + 1;

/** The figures of a category at a property, where `rest` is 0. */
export interface TaxYearRow extends SumsRow {
  readonly propertyId: string;
  readonly propertyName: string;
  readonly category: Category;
  readonly net: string;
  /** These two have the security deposits, too. */
  readonly income: string;
  readonly expenses: string;
}

const COLUMNS = `s.key0 AS "propertyId", o.name AS "propertyName", ${FACETS.category.valueOf('s.key1')} AS category,
  s.net, s.income + s."depositsReceived" AS income, s.expenses + s."depositsReturned" AS expenses`;

export function taxYear(ownerId: string, query: TaxYearQuery): BoundStatement {
  const { propertyId, timeZone, basis } = query;
  const year = String(query.year).padStart(4, '0');
  const period = { from: `${year}-01-01`, to: `${year}-12-31` };
  return sums(
    ownerId,
    { propertyId, timeZone, basis, ...period, groupBy: GROUP_BY },
    COLUMNS,
    MAX_PROPERTIES * ROWS + 2,
  );
}
