import type { Type } from '@nestjs/common';
import { Given, responseOf, schemaOf } from '../../common/validation/fields.js';
import { INT32, INT64, MONEY, type Schema, SUM, TEXT } from '../../common/validation/schema.js';
import { CATEGORY, FREQUENCY, TYPE } from '../../transactions/dto/transaction.request.js';
import { FIGURES } from '../profit-and-loss.js';
import { CashFlowQuery, LEVELS, ProfitAndLossQuery, ReportQuery, TaxYearQuery } from './reports.request.js';

function about(schema: Schema, description: string, example?: unknown): Schema {
  return { ...schema, description, example };
}

/** What was asked for, as the report repeats it. */
function asked(query: Type, ...names: string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, schemaOf(Given(query), name)]));
}

const OF_EVERY_REPORT = {
  ...asked(ReportQuery, 'timeZone'),
  propertyId: about({ ...INT64, nullable: true }, 'The requested property, if any.'),
};

export class PaidWithoutDate extends responseOf({
  count: about({ ...INT64, minimum: 0 }, 'The number of transactions.', 1),
  income: about(SUM, 'Without security deposits.', 0),
  expenses: about(SUM, 'Without security deposits.', 166.25),
}) {}

const PAID_WITHOUT_DATE = about(
  { type: PaidWithoutDate, nullable: true },
  '`PAID` in the period by `date`, but without a `paidAt`, and so in no other figure. Null on the accrual basis.',
);

const PROPERTY_NAME = about(TEXT, 'Its current name.', 'Harbour Loft');

const SUMS_OF_BOOKS = Object.fromEntries(
  Object.entries(FIGURES).map(([name, [, description, example]]) => [name, about(SUM, description, example)]),
);

export class ProfitAndLossFigures extends responseOf(SUMS_OF_BOOKS) {}

/** The figures of a group; names and keys of other levels than its own are null. */
const GROUP = {
  ...SUMS_OF_BOOKS,
  propertyId: { ...INT64, nullable: true, example: 1 },
  propertyName: { ...PROPERTY_NAME, nullable: true },
  category: { ...CATEGORY, nullable: true },
  period: about({ ...TEXT, nullable: true }, '`2026-03`, `2026-Q1` or `2026`.'),
};

export class ProfitAndLossPart extends responseOf(GROUP) {}

export class ProfitAndLossGroup extends responseOf({
  ...GROUP,
  groups: about({ type: [ProfitAndLossPart] }, 'By the second level; empty when there is none.', []),
}) {}

export class ProfitAndLossResponse extends responseOf({
  ...OF_EVERY_REPORT,
  ...asked(ProfitAndLossQuery, 'basis', 'from', 'to'),
  groupBy: { type: 'array', items: { type: 'string', enum: [...LEVELS] }, example: ['property'] },
  total: about({ type: ProfitAndLossFigures }, 'Everything in the report.'),
  groups: about(
    { type: [ProfitAndLossGroup] },
    'By the first level: properties by their id, categories by their name, periods in their order. Empty without ' +
      '`groupBy`. Groups without transactions are left out.',
  ),
  paidWithoutDate: PAID_WITHOUT_DATE,
}) {}

export const TAX_NOTICE =
  'This is not tax advice. It adds up recorded transactions by a table of categories: check both before you file a return.';

export class TaxItem extends responseOf({
  category: { ...CATEGORY, example: 'CLEANING' },
  amount: about(SUM, 'Its part of the line.', 58),
}) {}

export class TaxLine extends responseOf({
  line: about(INT32, 'Its number on the form.', 7),
  label: { ...TEXT, example: 'Cleaning and maintenance' },
  amount: about(SUM, 'The sum of its categories: rents less repayments, expenses less refunds.', 58),
  categories: about({ type: 'array', items: TEXT }, 'The categories assigned to it.', ['CLEANING']),
  items: about({ type: [TaxItem] }, 'The amount by category, without zeros; line 19 has to be itemised.'),
}) {}

/** A category that belongs on no line as it is. */
export class TaxApart extends responseOf({
  category: { ...CATEGORY, example: 'MORTGAGE' },
  income: about(SUM, 'Security deposits received.', 0),
  expenses: about(SUM, 'Security deposits returned.', 640.25),
  note: about({ ...TEXT, nullable: true }, 'The reason, where known.'),
}) {}

const SHEET = {
  lines: about({ type: [TaxLine] }, 'All lines, in their order.'),
  totalExpenses: about(SUM, 'The sum of lines 5 to 19: line 20.', 58),
  net: about(SUM, 'Line 3 less line 20: line 21.', -58),
  apart: about({ type: [TaxApart] }, 'Amounts that belong on no line.'),
};

export class TaxSheet extends responseOf(SHEET) {}

export class TaxSheetOfProperty extends responseOf({
  ...SHEET,
  propertyId: { ...INT64, example: 1 },
  propertyName: PROPERTY_NAME,
}) {}

export class TaxYearResponse extends responseOf({
  ...OF_EVERY_REPORT,
  ...asked(TaxYearQuery, 'form', 'year', 'basis'),
  notice: about(TEXT, 'A disclaimer.', TAX_NOTICE),
  total: about({ type: TaxSheet }, 'All properties together.'),
  properties: about(
    { type: [TaxSheetOfProperty] },
    'Ordered by id. A property without a transaction in the year is left out.',
  ),
  paidWithoutDate: PAID_WITHOUT_DATE,
}) {}

const DAY = { type: 'string', format: 'date' } satisfies Schema;
const VENDOR = { ...TEXT, nullable: true, example: 'City Power' };
const SUMS = {
  payable: about(SUM, 'The sum of the expenses.', 64.25),
  receivable: about(SUM, 'The sum of the income.', 0),
};

export class OwedByVendor extends responseOf({
  dueOn: about({ ...DAY, nullable: true }, 'The due date; of overdue amounts the earliest.', '2026-02-14'),
  vendor: VENDOR,
  ...SUMS,
  transactions: about({ ...INT64, minimum: 0 }, 'The number of transactions.', 1),
}) {}

export class Owed extends responseOf({
  ...SUMS,
  vendors: about({ type: [OwedByVendor] }, 'The earliest first; those without a date come last.'),
}) {}

export class Occurrence extends responseOf({
  date: { ...DAY, example: '2026-02-28' },
  transactionId: about(INT64, 'The latest recorded transaction of the series.', 17),
  propertyId: { ...INT64, example: 1 },
  propertyName: PROPERTY_NAME,
  type: { ...TYPE, example: 'EXPENSE' },
  category: { ...CATEGORY, example: 'UTILITIES' },
  frequency: { ...FREQUENCY, example: 'MONTHLY' },
  description: { ...TEXT, example: 'Electricity' },
  vendor: VENDOR,
  amount: about(MONEY, 'As it was the last time.', 64.25),
}) {}

export class Upcoming extends responseOf({
  ...SUMS,
  occurrences: about({ type: [Occurrence] }, 'In the order of their dates.'),
}) {}

export class CashFlowResponse extends responseOf({
  ...OF_EVERY_REPORT,
  from: about(DAY, 'The first upcoming day.', '2026-02-01'),
  to: about(DAY, 'The last day.', '2026-02-28'),
  ...asked(CashFlowQuery, 'months'),
  overdue: about(
    { type: Owed },
    'Unpaid, and either `OVERDUE` or past its `dueDate`, as in the search. One row for each vendor.',
  ),
  due: about(
    { type: Owed },
    'Unpaid, `PENDING` or `DISPUTED`, not overdue, and due by `to` or without a `dueDate`. One row for each day and vendor.',
  ),
  upcoming: about({ type: Upcoming }, 'Recurring transactions, continued: computed, and stored nowhere.'),
}) {}
