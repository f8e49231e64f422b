import { calendarDate, timeZone } from '../http/fields/calendar.js';
import { ByteOrderMarkField, type CsvQuery, DecimalField, SeparatorField } from '../http/fields/csv-form.js';
import { Fault, fieldReader, OptionalField, RequiredField } from '../http/fields/fields.js';
import { inQuery, StrictQuery } from '../http/fields/query.js';
import { int32, int64, oneOf } from '../http/fields/values.js';

const BASES = ['accrual', 'cash'] as const;
type Basis = (typeof BASES)[number];

export const LEVELS = ['property', 'category', 'month', 'quarter', 'year'] as const;
export type Level = (typeof LEVELS)[number];

const ANY = `(${LEVELS.join('|')})`;
const PATTERN = `^${ANY}(,${ANY})?$`;

/** `property` or `property,month`: the levels of a report, the outer one first. */
const levels = fieldReader(
  { type: 'string', pattern: PATTERN },
  (wire: unknown): readonly Level[] | Fault => {
    const found =
      typeof wire === 'string' && new RegExp(PATTERN).test(wire) ? (wire.split(',') as Level[]) : [];
    if (found.length > 0 && new Set(found).size === found.length) return found;
    return Fault.of(`must be one or two different levels, separated by a comma: ${LEVELS.join(', ')}`);
  },
);

/** The parameters of every report. */
export class ReportQuery extends StrictQuery {
  @OptionalField(inQuery(int64), {
    description: 'Only this property. Another owner’s is 404, as if it did not exist.',
    example: 1,
  })
  propertyId!: string | null;

  @OptionalField(timeZone, {
    fallback: 'UTC',
    description:
      'The time zone of all days, months and years: `UTC`, or an area and a location of the IANA database.',
    example: 'Europe/Lisbon',
  })
  timeZone!: string;
}

export class ProfitAndLossQuery extends ReportQuery {
  @OptionalField(calendarDate, {
    description: 'The first day. When left out, the report has no beginning.',
    example: '2026-01-01',
  })
  from!: string | null;

  @OptionalField(calendarDate, {
    description: 'The last day, inclusive. When left out, the report has no end.',
    example: '2026-12-31',
  })
  to!: string | null;

  @OptionalField(levels, {
    fallback: [],
    description:
      'One or two of `property`, `category`, `month`, `quarter` and `year`, the outer one first. When left ' +
      'out, there is only the total.',
    example: 'property,month',
  })
  groupBy!: readonly Level[];

  @OptionalField(oneOf(BASES), {
    fallback: 'accrual',
    description:
      '`accrual` goes by `date`, paid or not; `cash` goes by `paidAt`, and leaves out transactions without one.',
    example: 'accrual',
  })
  basis!: Basis;

  @SeparatorField separator!: CsvQuery['separator'];
  @DecimalField decimal!: CsvQuery['decimal'];
  @ByteOrderMarkField bom!: boolean;
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
    description:
      '`cash` goes by `paidAt`, and leaves out transactions without one; `accrual` goes by `date`.',
    example: 'cash',
  })
  basis!: Basis;
}

export class CashFlowQuery extends ReportQuery {
  @OptionalField(calendarDate, {
    description: 'The first upcoming day, up to 9997-12-31. Today when left out.',
    example: '2026-02-01',
  })
  from!: string | null;

  @OptionalField(inQuery(int32(1, 24)), {
    fallback: 12,
    description: 'How many months it looks ahead.',
    example: 1,
  })
  months!: number;
}
