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
import { oneOf } from '../http/fields/values.js';
import {
  CATEGORIES,
  type Category,
  FREQUENCIES,
  type Frequency,
  TRANSACTION_TYPES,
  type TransactionType,
} from '../transactions/transaction.enums.js';
import { CashFlowQuery, ReportQuery } from './reports.dto.js';

const DAY = { type: 'string', format: 'date' } satisfies Schema;

/** What is owed to and by one vendor. */
export class OwedByVendor {
  @Returned({
    ...DAY,
    nullable: true,
    description: 'The due date; the earliest one of what is overdue.',
    example: '2026-04-01',
  })
  dueOn!: string | null;

  @Returned({ ...TEXT, nullable: true, example: 'City Power' })
  vendor!: string | null;

  @Returned({ ...SUM, description: 'The sum of the expenses.', example: 64.25 })
  payable!: string;

  @Returned({ ...SUM, description: 'The sum of the income.', example: 0 })
  receivable!: string;

  @Returned({ ...INT64, minimum: 0, description: 'The number of transactions.', example: 1 })
  transactions!: string;
}

class Sums {
  @Returned({ ...SUM, description: 'The sum of the expenses.', example: 64.25 })
  payable!: string;

  @Returned({ ...SUM, description: 'The sum of the income.', example: 0 })
  receivable!: string;
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
  @Returned({ ...DAY, example: '2026-02-28' })
  date!: string;

  @Returned({ ...INT64, description: 'The latest recorded transaction of the series.', example: 17 })
  transactionId!: string;

  @Returned({ ...INT64, example: 1 })
  propertyId!: string;

  @Returned({ ...TEXT, description: 'Its current name.', example: 'Harbour Loft' })
  propertyName!: string;

  @Returned({ ...oneOf(TRANSACTION_TYPES, 'TransactionType').schema, example: 'EXPENSE' })
  type!: TransactionType;

  @Returned({ ...oneOf(CATEGORIES, 'TransactionCategory').schema, example: 'UTILITIES' })
  category!: Category;

  @Returned({ ...oneOf(FREQUENCIES, 'Frequency').schema, example: 'MONTHLY' })
  frequency!: Frequency;

  @Returned({ ...TEXT, example: 'Electricity' })
  description!: string;

  @Returned({ ...TEXT, nullable: true, example: 'City Power' })
  vendor!: string | null;

  @Returned({ ...MONEY, description: 'As it was the last time.', example: 64.25 })
  amount!: string;
}

@ApiExtraModels(Occurrence)
export class Upcoming extends Sums {
  @Returned({ ...referencesTo(Occurrence), description: 'In the order of their dates.' })
  occurrences!: unknown[];
}

@ApiExtraModels(Owed, Upcoming)
export class CashFlowResponse {
  @ReturnedFrom(ReportQuery)
  timeZone!: string;

  @Returned({ ...DAY, description: 'The first day of what is upcoming.', example: '2026-02-01' })
  from!: string;

  @Returned({ ...DAY, description: 'The last day.', example: '2026-02-28' })
  to!: string;

  @ReturnedFrom(CashFlowQuery, { ...INT32, example: 1 })
  months!: number;

  @Returned({ ...INT64, nullable: true, description: 'The property that was asked for, if any.' })
  propertyId!: string | null;

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
