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
import { CashFlowQuery, ReportQuery } from './reports.dto.js';

const DAY = { type: 'string', format: 'date' } satisfies Schema;
const NULLABLE_DAY = { ...DAY, nullable: true } satisfies Schema;
const VENDOR = { ...TEXT, nullable: true, example: 'City Power' } satisfies Schema;
const PAYABLE = { ...SUM, description: 'The sum of the expenses.', example: 64.25 } satisfies Schema;
const RECEIVABLE = { ...SUM, description: 'The sum of the income.', example: 0 } satisfies Schema;
const DUE_ON = 'The due date; the earliest one of what is overdue.';

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
export class CashFlowResponse {
  @ReturnedFrom(ReportQuery) timeZone!: string;
  @Returned({ ...DAY, description: 'The first day of what is upcoming.', example: '2026-02-01' })
  from!: string;
  @Returned({ ...DAY, description: 'The last day.', example: '2026-02-28' }) to!: string;
  @ReturnedFrom(CashFlowQuery, { ...INT32, example: 1 }) months!: number;

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
