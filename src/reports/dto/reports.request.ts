import { IntersectionType } from '@nestjs/swagger';
import { Day, TimeZone } from '../../common/validation/calendar.js';
import { WrittenCsvQuery } from '../../common/validation/csv-form.js';
import { Enumeration, Int32, Int64 } from '../../common/validation/decorators.js';
import { type About, Also, Check, Field, Optional, textRule } from '../../common/validation/field.js';
import { enumOf } from '../../common/validation/schema.js';

const BASES = ['accrual', 'cash'] as const;
type Basis = (typeof BASES)[number];

export const LEVELS = ['property', 'category', 'month', 'quarter', 'year'] as const;
export type Level = (typeof LEVELS)[number];

const ANY = `(${LEVELS.join('|')})`;
const PATTERN = `^${ANY}(,${ANY})?$`;

const levelsOf = (text: string): string[] => text.split(',');
const areLevels = textRule(
  `must be one or two different levels, separated by a comma: ${LEVELS.join(', ')}`,
  (text) => new RegExp(PATTERN).test(text) && new Set(levelsOf(text)).size === levelsOf(text).length,
);

/** `property` or `property,month`: the levels of a report, the outer one first. */
const Levels = (about: About) =>
  Field({ type: 'string', pattern: PATTERN }, about, Check('areLevels', areLevels, levelsOf));

export class ReportQuery {
  @Optional()
  @Int64({ description: 'Only this property. Another owner’s is 404, as if it did not exist.', example: 1 })
  readonly propertyId!: string | null;

  @TimeZone('The time zone of days, months and years') readonly timeZone!: string;
}

class PeriodQuery extends ReportQuery {
  @Optional()
  @Day({ description: 'The first day. Without it, the report has no beginning.', example: '2026-01-01' })
  readonly from!: string | null;

  @Also('must not be before from', (to, { from }) => !(Date.parse(String(from)) > Date.parse(to)))
  @Optional()
  @Day({ description: 'The last day, inclusive; without it, the report has no end.', example: '2026-12-31' })
  readonly to!: string | null;

  @Optional({ fallback: [] })
  @Levels({
    description:
      'One or two of `property`, `category`, `month`, `quarter` and `year`, the outer one first. When left ' +
      'out, there is only the total.',
    example: 'property,month',
  })
  readonly groupBy!: readonly Level[];

  @Optional({ fallback: 'accrual' })
  @Enumeration(enumOf(BASES), {
    description:
      '`accrual` goes by `date`, paid or not; `cash` goes by `paidAt`. What is `PAID` without one is in `paidWithoutDate`.',
    example: 'accrual',
  })
  readonly basis!: Basis;
}

export class ProfitAndLossQuery extends IntersectionType(PeriodQuery, WrittenCsvQuery) {}

export class TaxYearQuery extends ReportQuery {
  @Int32({ min: 1, max: 9999, description: 'The calendar year.', example: 2026 }) readonly year!: number;

  @Optional({ fallback: 'schedule-e' })
  @Enumeration(enumOf(['schedule-e']), {
    description: 'Part I of Schedule E (Form 1040).',
    example: 'schedule-e',
  })
  readonly form!: 'schedule-e';

  @Optional({ fallback: 'cash' })
  @Enumeration(enumOf(BASES), {
    description:
      '`cash` goes by `paidAt`: `PAID` without one is in `paidWithoutDate`. `accrual` goes by `date`.',
    example: 'cash',
  })
  readonly basis!: Basis;
}

export class CashFlowQuery extends ReportQuery {
  // Two years later the year still has four digits.
  @Also('must not be after 9997-12-31', (from) => from <= '9997-12-31')
  @Optional()
  @Day({ description: 'The first upcoming day, up to 9997-12-31; today by default.', example: '2026-02-01' })
  readonly from!: string | null;

  @Optional({ fallback: 12 })
  @Int32({ min: 1, max: 24, description: 'How many months it looks ahead.', example: 1 })
  readonly months!: number;
}
