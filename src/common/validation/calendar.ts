import { applyDecorators } from '@nestjs/common';
import { type ProblemError, validationFailed } from '../problems/problem.js';
import { type About, Check, Field, Optional, textRule } from './field.js';
import { INSTANT } from './schema.js';

const DATE_TIME =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))[Tt]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?$/;

/**
 * The instant of an RFC 3339 date and time, as `2026-01-15T10:30:00.000Z`, or undefined. The short offsets and the comma of
 * ISO 8601 are read too. Seconds may be left out, a time without a zone is in UTC, digits beyond milliseconds are cut off.
 * The calendar is checked, and the year in UTC has four digits.
 */
export function instantOf(text: string): string | undefined {
  const [, day, time, second = '00', fraction = '', sign, hours, minutes = '00'] = DATE_TIME.exec(text) ?? [];
  if (day === undefined || day < '0001' || !isInMonth(day)) return undefined;
  const local = `${day}T${time}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (sign === undefined) return `${local}Z`;
  const instant = new Date(`${local}${sign}${hours}:${minutes}`).toISOString();
  return /^(?!0000)\d{4}-/.test(instant) ? instant : undefined;
}

/** Date reads 30 February as a day of March. Making one would take most of the time of an instant: few days need it. */
const isInMonth = (day: string): boolean =>
  day.slice(8) <= (day.slice(5, 7) === '02' ? '28' : '30') || new Date(day).toISOString().startsWith(day);

const isInstant = textRule(
  'must be a date of the calendar, a T and a time, such as 2026-01-15T10:30:00Z',
  (text) => instantOf(text) !== undefined,
);

/** A date and time of RFC 3339, or of ISO 8601 with a short offset or a comma, to milliseconds, as UTC text. */
export const Instant = (about: About) => Field(INSTANT, about, Check('isInstant', isInstant, instantOf));

const isDay = textRule('must be a day such as 2026-01-31', (day) => instantOf(`${day}T00:00Z`) !== undefined);

export const Day = (about: About) => Field({ type: 'string', format: 'date' }, about, Check('isDay', isDay));

/** An area and a location. Short names are left out because PostgreSQL reads many as an offset without daylight saving. */
const ZONE = '^(UTC|[A-Za-z]{1,14}(/[A-Za-z0-9_+\\-]{1,30}){1,2})$';
const ZONE_PATTERN = new RegExp(ZONE);

const isTimeZone = textRule(
  'must be UTC or a time zone of the IANA database such as Europe/Lisbon',
  (name) => ZONE_PATTERN.test(name) && isKnown(name),
);

/** UTC where none is named. */
export function TimeZone(meaning: string): PropertyDecorator {
  const description = `${meaning}: \`UTC\`, or an area and a location of the IANA database.`;
  const check = Check('isTimeZoneName', isTimeZone);
  const field = Field({ type: 'string', pattern: ZONE }, { description, example: 'Europe/Lisbon' }, check);
  return applyDecorators(field, Optional({ fallback: 'UTC' }));
}

function isKnown(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** For a time zone that Node knows and PostgreSQL does not: their editions may differ. */
export function unknownZone(): ProblemError {
  return validationFailed({ timeZone: 'must be a time zone that the database also knows' });
}
