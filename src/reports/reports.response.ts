import type { Type } from '@nestjs/common';
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

/** All sums are exact, however many digits they have. */
const Sum = (description: string, example: number): PropertyDecorator =>
  Returned({ ...SUM, description, example });

const Listed = (type: Type, description: string): PropertyDecorator =>
  Returned({ ...referencesTo(type), description });

const PropertyName = Returned({ ...TEXT, description: 'Its current name.', example: 'Harbour Loft' });
const WITHOUT = 'Without refunded amounts and security deposits.';

export class ProfitAndLossFigures {
  @Sum(WITHOUT, 1319.5) income!: string;
  @Sum(WITHOUT, 166.25) expenses!: string;
  @Sum('`income` less `expenses`.', 1153.25) net!: string;
  @Sum('Income with the status `REFUNDED`.', 0) refundedIncome!: string;
  @Sum('Expenses with the status `REFUNDED`.', 0) refundedExpenses!: string;
  @Sum('Security deposits received.', 500) depositsReceived!: string;
  @Sum('Security deposits returned, or `REFUNDED`.', 300) depositsReturned!: string;
  @Sum('`depositsReceived` less `depositsReturned`: a liability, not income.', 200) depositsHeld!: string;
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

  @Listed(
    ProfitAndLossGroup,
    'By the first level: properties by their id, categories by their name, periods in their order. Empty without ' +
      '`groupBy`. Groups without transactions are left out.',
  )
  groups!: unknown[];
}

export const TAX_NOTICE =
  'This is not tax advice. It adds up recorded transactions by a table of categories: check both before you file a return.';

export class TaxLine {
  @Returned({ ...INT32, description: 'Its number on the form.', example: 7 }) line!: number;
  @Returned({ ...TEXT, example: 'Cleaning and maintenance' }) label!: string;
  @Sum('The sum of its categories: rents less repayments, expenses less refunds.', 58) amount!: string;

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
  @Sum('Security deposits received.', 0) income!: string;
  @Sum('Security deposits returned.', 640.25) expenses!: string;
  @Returned({ ...TEXT, nullable: true, description: 'The reason, where known.' }) note!: string | null;
}

@ApiExtraModels(TaxLine, TaxApart)
export class TaxSheet {
  @Listed(TaxLine, 'All lines, in their order.') lines!: unknown[];
  @Sum('The sum of lines 5 to 19: line 20.', 58) totalExpenses!: string;
  @Sum('Line 3 less line 20: line 21.', -58) net!: string;
  @Listed(TaxApart, 'Amounts that belong on no line.') apart!: unknown[];
}

export class TaxSheetOfProperty extends TaxSheet {
  @Returned({ ...INT64, example: 1 }) propertyId!: string;
  @PropertyName propertyName!: string;
}

@ApiExtraModels(TaxSheet, TaxSheetOfProperty)
export class TaxYearResponse extends ReportResponse {
  @ReturnedFrom(TaxYearQuery) form!: string;
  @ReturnedFrom(TaxYearQuery) year!: number;
  @ReturnedFrom(TaxYearQuery) basis!: string;

  @Returned({ ...TEXT, description: 'A disclaimer.', example: TAX_NOTICE }) notice!: string;
  @Returned({ ...referenceTo(TaxSheet), description: 'All properties together.' }) total!: TaxSheet;

  @Listed(TaxSheetOfProperty, 'Ordered by id. A property without a transaction in the year is left out.')
  properties!: unknown[];
}

const DAY = { type: 'string', format: 'date' } satisfies Schema;
const Vendor = Returned({ ...TEXT, nullable: true, example: 'City Power' });
const Payable = Sum('The sum of the expenses.', 64.25);
const Receivable = Sum('The sum of the income.', 0);
const DUE_ON = 'The due date; of overdue amounts the earliest one.';

export class OwedByVendor {
  @Returned({ ...DAY, nullable: true, description: DUE_ON, example: '2026-02-14' }) dueOn!: string | null;
  @Vendor vendor!: string | null;
  @Payable payable!: string;
  @Receivable receivable!: string;
  @Returned({ ...INT64, minimum: 0, description: 'The number of transactions.', example: 1 })
  transactions!: string;
}

class Sums {
  @Payable payable!: string;
  @Receivable receivable!: string;
}

@ApiExtraModels(OwedByVendor)
export class Owed extends Sums {
  @Listed(OwedByVendor, 'The earliest first; those without a date come last.')
  vendors!: unknown[];
}

export class Occurrence {
  @Returned({ ...DAY, example: '2026-02-28' }) date!: string;

  @Returned({ ...INT64, description: 'The latest recorded transaction of the series.', example: 17 })
  transactionId!: string;

  @Returned({ ...INT64, example: 1 }) propertyId!: string;
  @PropertyName propertyName!: string;
  @Returned({ ...TYPE.schema, example: 'EXPENSE' }) type!: string;
  @Returned({ ...CATEGORY.schema, example: 'UTILITIES' }) category!: string;
  @Returned({ ...FREQUENCY.schema, example: 'MONTHLY' }) frequency!: string;
  @Returned({ ...TEXT, example: 'Electricity' }) description!: string;
  @Vendor vendor!: string | null;
  @Returned({ ...MONEY, description: 'As it was the last time.', example: 64.25 }) amount!: string;
}

@ApiExtraModels(Occurrence)
export class Upcoming extends Sums {
  @Listed(Occurrence, 'In the order of their dates.') occurrences!: unknown[];
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
