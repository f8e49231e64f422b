import { ApiExtraModels } from '@nestjs/swagger';
import { Returned, ReturnedFrom } from '../http/fields/fields.js';
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
import {
  CashFlowQuery,
  type Level,
  LEVELS,
  ProfitAndLossQuery,
  ReportQuery,
  TaxYearQuery,
} from './reports.dto.js';

/** The members that every report has. */
class ReportResponse {
  @ReturnedFrom(ReportQuery) timeZone!: string;

  @Returned({ ...INT64, nullable: true, description: 'The requested property, if any.' })
  propertyId!: string | null;
}

const WITHOUT = 'Without refunded amounts and security deposits.';
const HELD = '`depositsReceived` less `depositsReturned`: a liability, not income.';

/** All of them exact, however many digits they have. */
export class ProfitAndLossFigures {
  @Returned({ ...SUM, description: WITHOUT, example: 1319.5 }) income!: string;
  @Returned({ ...SUM, description: WITHOUT, example: 166.25 }) expenses!: string;
  @Returned({ ...SUM, description: '`income` less `expenses`.', example: 1153.25 }) net!: string;

  @Returned({ ...SUM, description: 'Income with the status `REFUNDED`.', example: 0 })
  refundedIncome!: string;

  @Returned({ ...SUM, description: 'Expenses with the status `REFUNDED`.', example: 0 })
  refundedExpenses!: string;

  @Returned({ ...SUM, description: 'Security deposits received.', example: 500 })
  depositsReceived!: string;

  @Returned({ ...SUM, description: 'Security deposits returned, or `REFUNDED`.', example: 300 })
  depositsReturned!: string;

  @Returned({ ...SUM, description: HELD, example: 200 }) depositsHeld!: string;
}

/** The figures of a group; names and keys of other levels than its own are null. */
export class ProfitAndLossPart extends ProfitAndLossFigures {
  @Returned({ ...INT64, nullable: true, example: 1 }) propertyId!: string | null;

  @Returned({ ...TEXT, nullable: true, description: 'Its current name.', example: 'Harbour Loft' })
  propertyName!: string | null;

  @Returned({ ...CATEGORY.schema, nullable: true }) category!: string | null;
  @Returned({ ...TEXT, nullable: true, description: '`2026-03`, `2026-Q1` or `2026`.' }) period!:
    string | null;
}

@ApiExtraModels(ProfitAndLossPart)
export class ProfitAndLossGroup extends ProfitAndLossPart {
  @Returned({
    ...referencesTo(ProfitAndLossPart),
    description: 'By the second level; empty when there is none.',
    example: [],
  })
  groups!: unknown[];
}

@ApiExtraModels(ProfitAndLossFigures, ProfitAndLossGroup)
export class ProfitAndLossResponse extends ReportResponse {
  @ReturnedFrom(ProfitAndLossQuery) basis!: string;
  @ReturnedFrom(ProfitAndLossQuery) from!: string | null;
  @ReturnedFrom(ProfitAndLossQuery) to!: string | null;

  @Returned({ type: 'array', items: { type: 'string', enum: [...LEVELS] }, example: ['property'] })
  groupBy!: readonly Level[];

  @Returned({ ...referenceTo(ProfitAndLossFigures), description: 'Everything in the report.' })
  total!: ProfitAndLossFigures;

  @Returned({
    ...referencesTo(ProfitAndLossGroup),
    description:
      'By the first level: properties by their id, categories by their name, periods in their order. Empty without ' +
      '`groupBy`. Groups without transactions are left out.',
  })
  groups!: unknown[];
}

export const TAX_NOTICE =
  'This is not tax advice. It adds up recorded transactions by a table of categories: check both before you file a return.';

const AMOUNT = 'The sum of its categories: rents less repayments, expenses less refunds.';
const IN = 'Security deposits received.';
const OUT = 'Security deposits returned.';

export class TaxLine {
  @Returned({ ...INT32, description: 'Its number on the form.', example: 7 }) line!: number;
  @Returned({ ...TEXT, example: 'Cleaning and maintenance' }) label!: string;
  @Returned({ ...SUM, description: AMOUNT, example: 58 }) amount!: string;

  @Returned({
    type: 'array',
    items: { type: 'string' },
    description: 'The categories assigned to it.',
    example: ['CLEANING'],
  })
  categories!: string[];
}

/** A category that belongs on no line as it is. */
export class TaxApart {
  @Returned({ ...CATEGORY.schema, example: 'MORTGAGE' }) category!: string;
  @Returned({ ...SUM, description: IN, example: 0 }) income!: string;
  @Returned({ ...SUM, description: OUT, example: 640.25 }) expenses!: string;
  @Returned({ ...TEXT, nullable: true, description: 'The reason, where known.' }) note!: string | null;
}

@ApiExtraModels(TaxLine, TaxApart)
export class TaxSheet {
  @Returned({ ...referencesTo(TaxLine), description: 'All lines, in their order.' }) lines!: unknown[];

  @Returned({ ...SUM, description: 'The sum of lines 5 to 19: line 20.', example: 58 })
  totalExpenses!: string;

  @Returned({ ...SUM, description: 'Line 3 less line 20: line 21.', example: -58 }) net!: string;
  @Returned({ ...referencesTo(TaxApart), description: 'Amounts that belong on no line.' }) apart!: unknown[];
}

export class TaxSheetOfProperty extends TaxSheet {
  @Returned({ ...INT64, example: 1 }) propertyId!: string;
  @Returned({ ...TEXT, description: 'Its current name.', example: 'Harbour Loft' }) propertyName!: string;
}

@ApiExtraModels(TaxSheet, TaxSheetOfProperty)
export class TaxYearResponse extends ReportResponse {
  @ReturnedFrom(TaxYearQuery) form!: string;
  @ReturnedFrom(TaxYearQuery) year!: number;
  @ReturnedFrom(TaxYearQuery) basis!: string;

  @Returned({ ...TEXT, description: 'A disclaimer.', example: TAX_NOTICE }) notice!: string;
  @Returned({ ...referenceTo(TaxSheet), description: 'All properties together.' }) total!: TaxSheet;

  @Returned({
    ...referencesTo(TaxSheetOfProperty),
    description: 'Ordered by id. A property without a transaction in the year is left out.',
  })
  properties!: unknown[];
}

const DAY = { type: 'string', format: 'date' } satisfies Schema;
const NULLABLE_DAY = { ...DAY, nullable: true } satisfies Schema;
const VENDOR = { ...TEXT, nullable: true, example: 'City Power' } satisfies Schema;
const PAYABLE = { ...SUM, description: 'The sum of the expenses.', example: 64.25 } satisfies Schema;
const RECEIVABLE = { ...SUM, description: 'The sum of the income.', example: 0 } satisfies Schema;
const DUE_ON = 'The due date; of overdue amounts the earliest one.';

export class OwedByVendor {
  @Returned({ ...NULLABLE_DAY, description: DUE_ON, example: '2026-02-14' }) dueOn!: string | null;
  @Returned(VENDOR) vendor!: string | null;
  @Returned(PAYABLE) payable!: string;
  @Returned(RECEIVABLE) receivable!: string;
  @Returned({ ...INT64, minimum: 0, description: 'The number of transactions.', example: 1 })
  transactions!: string;
}

class Sums {
  @Returned(PAYABLE) payable!: string;
  @Returned(RECEIVABLE) receivable!: string;
}

@ApiExtraModels(OwedByVendor)
export class Owed extends Sums {
  @Returned({
    ...referencesTo(OwedByVendor),
    description: 'The earliest first; those without a date come last.',
  })
  vendors!: unknown[];
}

export class Occurrence {
  @Returned({ ...DAY, example: '2026-02-28' }) date!: string;

  @Returned({ ...INT64, description: 'The latest recorded transaction of the series.', example: 17 })
  transactionId!: string;

  @Returned({ ...INT64, example: 1 }) propertyId!: string;
  @Returned({ ...TEXT, description: 'Its current name.', example: 'Harbour Loft' }) propertyName!: string;
  @Returned({ ...TYPE.schema, example: 'EXPENSE' }) type!: string;
  @Returned({ ...CATEGORY.schema, example: 'UTILITIES' }) category!: string;
  @Returned({ ...FREQUENCY.schema, example: 'MONTHLY' }) frequency!: string;
  @Returned({ ...TEXT, example: 'Electricity' }) description!: string;
  @Returned(VENDOR) vendor!: string | null;
  @Returned({ ...MONEY, description: 'As it was the last time.', example: 64.25 }) amount!: string;
}

@ApiExtraModels(Occurrence)
export class Upcoming extends Sums {
  @Returned({ ...referencesTo(Occurrence), description: 'In the order of their dates.' })
  occurrences!: unknown[];
}

@ApiExtraModels(Owed, Upcoming)
export class CashFlowResponse extends ReportResponse {
  @Returned({ ...DAY, description: 'The first upcoming day.', example: '2026-02-01' })
  from!: string;
  @Returned({ ...DAY, description: 'The last day.', example: '2026-02-28' }) to!: string;
  @ReturnedFrom(CashFlowQuery, { ...INT32, example: 1 }) months!: number;

  @Returned({
    ...referenceTo(Owed),
    description:
      'Unpaid, and either `OVERDUE` or past its `dueDate`, as in the search. One row for each vendor.',
  })
  overdue!: Owed;

  @Returned({
    ...referenceTo(Owed),
    description:
      'Unpaid, `PENDING` or `DISPUTED`, not overdue, and due by `to` or without a `dueDate`. One row for each day and vendor.',
  })
  due!: Owed;

  @Returned({
    ...referenceTo(Upcoming),
    description: 'Recurring transactions, continued: computed, and stored nowhere.',
  })
  upcoming!: Upcoming;
}
