import type { Type } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { givenIn, responseOf } from '../http/fields/fields.js';
import {
  INT32,
  INT64,
  MONEY,
  referenceTo,
  referencesTo,
  type Schema,
  SUM,
  TEXT,
} from '../http/fields/schema.js';
import { CATEGORY, FREQUENCY, TYPE } from '../transactions/transactions.dto.js';
import { FIGURES } from './books.js';
import { CashFlowQuery, LEVELS, ProfitAndLossQuery, ReportQuery, TaxYearQuery } from './reports.dto.js';

const OF_EVERY_REPORT = {
  timeZone: givenIn(ReportQuery).timeZone,
  propertyId: { ...INT64, nullable: true, description: 'The requested property, if any.' },
};

/** All sums are exact, however many digits they have. */
const sum = (description: string, example: number): Schema => ({ ...SUM, description, example });
const listOf = (type: Type, description: string): Schema => ({ ...referencesTo(type), description });

const PROPERTY_NAME = { ...TEXT, description: 'Its current name.', example: 'Harbour Loft' };

const SUMS_OF_BOOKS = Object.fromEntries(
  Object.entries(FIGURES).map(([name, [, description, example]]) => [name, sum(description, example)]),
);

export class ProfitAndLossFigures extends responseOf(SUMS_OF_BOOKS) {}

/** The figures of a group; names and keys of other levels than its own are null. */
const GROUP = {
  ...SUMS_OF_BOOKS,
  propertyId: { ...INT64, nullable: true, example: 1 },
  propertyName: { ...PROPERTY_NAME, nullable: true },
  category: { ...CATEGORY.schema, nullable: true },
  period: { ...TEXT, nullable: true, description: '`2026-03`, `2026-Q1` or `2026`.' },
};

export class ProfitAndLossPart extends responseOf(GROUP) {}

@ApiExtraModels(ProfitAndLossPart)
export class ProfitAndLossGroup extends responseOf({
  ...GROUP,
  groups: { ...listOf(ProfitAndLossPart, 'By the second level; empty when there is none.'), example: [] },
}) {}

const { basis, from, to } = givenIn(ProfitAndLossQuery);

@ApiExtraModels(ProfitAndLossFigures, ProfitAndLossGroup)
export class ProfitAndLossResponse extends responseOf({
  ...OF_EVERY_REPORT,
  ...{ basis, from, to },
  groupBy: { type: 'array', items: { type: 'string', enum: [...LEVELS] }, example: ['property'] },
  total: { ...referenceTo(ProfitAndLossFigures), description: 'Everything in the report.' },
  groups: listOf(
    ProfitAndLossGroup,
    'By the first level: properties by their id, categories by their name, periods in their order. Empty without ' +
      '`groupBy`. Groups without transactions are left out.',
  ),
}) {}

export const TAX_NOTICE =
  'This is not tax advice. It adds up recorded transactions by a table of categories: check both before you file a return.';

export class TaxLine extends responseOf({
  line: { ...INT32, description: 'Its number on the form.', example: 7 },
  label: { ...TEXT, example: 'Cleaning and maintenance' },
  amount: sum('The sum of its categories: rents less repayments, expenses less refunds.', 58),
  categories: {
    type: 'array',
    items: { type: 'string' },
    description: 'The categories assigned to it.',
    example: ['CLEANING'],
  },
}) {}

/** A category that belongs on no line as it is. */
export class TaxApart extends responseOf({
  category: { ...CATEGORY.schema, example: 'MORTGAGE' },
  income: sum('Security deposits received.', 0),
  expenses: sum('Security deposits returned.', 640.25),
  note: { ...TEXT, nullable: true, description: 'The reason, where known.' },
}) {}

const SHEET = {
  lines: listOf(TaxLine, 'All lines, in their order.'),
  totalExpenses: sum('The sum of lines 5 to 19: line 20.', 58),
  net: sum('Line 3 less line 20: line 21.', -58),
  apart: listOf(TaxApart, 'Amounts that belong on no line.'),
};

@ApiExtraModels(TaxLine, TaxApart)
export class TaxSheet extends responseOf(SHEET) {}

export class TaxSheetOfProperty extends responseOf({
  ...SHEET,
  propertyId: { ...INT64, example: 1 },
  propertyName: PROPERTY_NAME,
}) {}

const ASKED = givenIn(TaxYearQuery);

@ApiExtraModels(TaxSheet, TaxSheetOfProperty)
export class TaxYearResponse extends responseOf({
  ...OF_EVERY_REPORT,
  form: ASKED.form,
  year: ASKED.year,
  basis: ASKED.basis,
  notice: { ...TEXT, description: 'A disclaimer.', example: TAX_NOTICE },
  total: { ...referenceTo(TaxSheet), description: 'All properties together.' },
  properties: listOf(
    TaxSheetOfProperty,
    'Ordered by id. A property without a transaction in the year is left out.',
  ),
}) {}

const DAY = { type: 'string', format: 'date' } satisfies Schema;
const VENDOR = { ...TEXT, nullable: true, example: 'City Power' };
const SUMS = {
  payable: sum('The sum of the expenses.', 64.25),
  receivable: sum('The sum of the income.', 0),
};

export class OwedByVendor extends responseOf({
  dueOn: {
    ...DAY,
    nullable: true,
    description: 'The due date; of overdue amounts the earliest one.',
    example: '2026-02-14',
  },
  vendor: VENDOR,
  ...SUMS,
  transactions: { ...INT64, minimum: 0, description: 'The number of transactions.', example: 1 },
}) {}

@ApiExtraModels(OwedByVendor)
export class Owed extends responseOf({
  ...SUMS,
  vendors: listOf(OwedByVendor, 'The earliest first; those without a date come last.'),
}) {}

export class Occurrence extends responseOf({
  date: { ...DAY, example: '2026-02-28' },
  transactionId: { ...INT64, description: 'The latest recorded transaction of the series.', example: 17 },
  propertyId: { ...INT64, example: 1 },
  propertyName: PROPERTY_NAME,
  type: { ...TYPE.schema, example: 'EXPENSE' },
  category: { ...CATEGORY.schema, example: 'UTILITIES' },
  frequency: { ...FREQUENCY.schema, example: 'MONTHLY' },
  description: { ...TEXT, example: 'Electricity' },
  vendor: VENDOR,
  amount: { ...MONEY, description: 'As it was the last time.', example: 64.25 },
}) {}

@ApiExtraModels(Occurrence)
export class Upcoming extends responseOf({
  ...SUMS,
  occurrences: listOf(Occurrence, 'In the order of their dates.'),
}) {}

@ApiExtraModels(Owed, Upcoming)
export class CashFlowResponse extends responseOf({
  ...OF_EVERY_REPORT,
  from: { ...DAY, description: 'The first upcoming day.', example: '2026-02-01' },
  to: { ...DAY, description: 'The last day.', example: '2026-02-28' },
  months: givenIn(CashFlowQuery).months,
  overdue: {
    ...referenceTo(Owed),
    description:
      'Unpaid, and either `OVERDUE` or past its `dueDate`, as in the search. One row for each vendor.',
  },
  due: {
    ...referenceTo(Owed),
    description:
      'Unpaid, `PENDING` or `DISPUTED`, not overdue, and due by `to` or without a `dueDate`. One row for each day and vendor.',
  },
  upcoming: {
    ...referenceTo(Upcoming),
    description: 'Recurring transactions, continued: computed, and stored nowhere.',
  },
}) {}
