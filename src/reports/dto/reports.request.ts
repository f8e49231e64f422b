import { calendarDate, timeZone } from '../../common/validation/calendar.js';
import { CSV_WRITTEN } from '../../common/validation/csv-form.js';
import { optional, requestOf, required, textReader } from '../../common/validation/fields.js';
import { int32, int64, oneOf } from '../../common/validation/values.js';

const BASES = ['accrual', 'cash'] as const;

export const LEVELS = ['property', 'category', 'month', 'quarter', 'year'] as const;
export type Level = (typeof LEVELS)[number];

const ANY = `(${LEVELS.join('|')})`;
const PATTERN = `^${ANY}(,${ANY})?$`;

/** `property` or `property,month`: the levels of a report, the outer one first. */
const levels = textReader<readonly Level[]>(
  { type: 'string', pattern: PATTERN },
  `must be one or two different levels, separated by a comma: ${LEVELS.join(', ')}`,
  (text) => {
    const found = text.split(',') as Level[];
    return new RegExp(PATTERN).test(text) && found[0] !== found[1] ? found : undefined;
  },
);

const OF_EVERY_REPORT = {
  propertyId: optional(int64, {
    description: 'Only this property. Another owner’s is 404, as if it did not exist.',
    example: 1,
  }),
  timeZone: optional(timeZone, {
    fallback: 'UTC',
    description:
      'The time zone of all days, months and years: `UTC`, or an area and a location of the IANA database.',
    example: 'Europe/Lisbon',
  }),
};

export class ReportQuery extends requestOf(OF_EVERY_REPORT) {}

export class ProfitAndLossQuery extends requestOf({
  ...OF_EVERY_REPORT,
  from: optional(calendarDate, {
    description: 'The first day. When left out, the report has no beginning.',
    example: '2026-01-01',
  }),
  to: optional(calendarDate, {
    description: 'The last day, inclusive. When left out, the report has no end.',
    example: '2026-12-31',
  }),
  groupBy: optional(levels, {
    fallback: [],
    description:
      'One or two of `property`, `category`, `month`, `quarter` and `year`, the outer one first. When left ' +
      'out, there is only the total.',
    example: 'property,month',
  }),
  basis: optional(oneOf(BASES), {
    fallback: 'accrual',
    description:
      '`accrual` goes by `date`, paid or not; `cash` goes by `paidAt`. What is `PAID` without one is in `paidWithoutDate`.',
    example: 'accrual',
  }),
  ...CSV_WRITTEN,
}) {}

export class TaxYearQuery extends requestOf({
  ...OF_EVERY_REPORT,
  year: required(int32(1, 9999), { description: 'The calendar year.', example: 2026 }),
  form: optional(oneOf(['schedule-e']), {
    fallback: 'schedule-e',
    description: 'Part I of Schedule E of the US form 1040.',
    example: 'schedule-e',
  }),
  basis: optional(oneOf(BASES), {
    fallback: 'cash',
    description:
      '`cash` goes by `paidAt`; what is `PAID` without one is in `paidWithoutDate`. `accrual` goes by `date`.',
    example: 'cash',
  }),
}) {}

export class CashFlowQuery extends requestOf({
  ...OF_EVERY_REPORT,
  from: optional(calendarDate, {
    description: 'The first upcoming day, up to 9997-12-31. Today when left out.',
    example: '2026-02-01',
  }),
  months: optional(int32(1, 24), {
    fallback: 12,
    description: 'How many months it looks ahead.',
    example: 1,
  }),
}) {}
