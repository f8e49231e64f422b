import { calendarDate, timeZone } from '../http/fields/calendar.js';
import { OptionalField, RequiredField } from '../http/fields/fields.js';
import { inQuery } from '../http/fields/query.js';
import { int32, int64, oneOf } from '../http/fields/values.js';
import { type Level, levels } from './levels.js';

export const BASES = ['accrual', 'cash'] as const;
export type Basis = (typeof BASES)[number];

/** What every report can be narrowed by. */
export class ReportQuery {
  @OptionalField(inQuery(int64), {
    description: 'This property alone. Of another owner it is as if it did not exist: 404.',
    example: 1,
  })
  propertyId!: string | null;

  @OptionalField(timeZone, {
    fallback: 'UTC',
    description:
      'Whose days, months and years these are: `UTC`, or an area and a location of the IANA database.',
    example: 'Europe/Lisbon',
  })
  timeZone!: string;
}

export class ProfitAndLossQuery extends ReportQuery {
  @OptionalField(calendarDate, {
    description: 'The first day. Everything before the last one when left out.',
    example: '2026-01-01',
  })
  from!: string | null;

  @OptionalField(calendarDate, {
    description: 'The last day, which is in the report. Everything after the first one when left out.',
    example: '2026-12-31',
  })
  to!: string | null;

  @OptionalField(levels, {
    fallback: [],
    description:
      'One or two of `property`, `category`, `month`, `quarter` and `year`, the outer one first. Left out, there is ' +
      'the total alone.',
    example: 'property,month',
  })
  groupBy!: readonly Level[];

  @OptionalField(oneOf(BASES), {
    fallback: 'accrual',
    description:
      '`accrual` goes by `date`, whether anything is paid or not; `cash` by `paidAt`, and has nothing that has none.',
    example: 'accrual',
  })
  basis!: Basis;
}

export class TaxYearQuery extends ReportQuery {
  @RequiredField(inQuery(int32(1, 9999)), { description: 'The calendar year.', example: 2026 })
  year!: number;

  @OptionalField(oneOf(['schedule-e']), {
    fallback: 'schedule-e',
    description: 'Part I of Schedule E of the US form 1040.',
    example: 'schedule-e',
  })
  form!: 'schedule-e';

  @OptionalField(oneOf(BASES), {
    fallback: 'cash',
    description: '`cash` goes by `paidAt`, and has nothing that has none; `accrual` by `date`.',
    example: 'cash',
  })
  basis!: Basis;
}

export class CashFlowQuery extends ReportQuery {
  @OptionalField(calendarDate, {
    description: 'The first day of what is upcoming, up to 9997-12-31. Today when left out.',
    example: '2026-02-01',
  })
  from!: string | null;

  @OptionalField(inQuery(int32(1, 24)), { fallback: 12, description: 'How far it looks ahead.', example: 1 })
  months!: number;
}
