import { Fault, fieldReader } from './fields.js';
import { instantOf } from './instant.js';

/** A day of the calendar, in the years 0001 to 9999. */
export const calendarDate = fieldReader(
  { type: 'string', format: 'date' },
  (input: unknown): string | Fault => {
    const isDay = typeof input === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(input);
    return isDay && instantOf(`${input}T00:00Z`) !== undefined
      ? input
      : Fault.of('must be a day such as 2026-01-31');
  },
);

/** An area and a location. Short names are left out because PostgreSQL reads many as an offset without daylight saving. */
const ZONE = '^(UTC|[A-Za-z]{1,14}(/[A-Za-z0-9_+\\-]{1,30}){1,2})$';
const ZONE_PATTERN = new RegExp(ZONE);

/** A time zone by its name in the IANA database. */
export const timeZone = fieldReader({ type: 'string', pattern: ZONE }, (input: unknown): string | Fault =>
  typeof input === 'string' && ZONE_PATTERN.test(input) && isKnown(input)
    ? input
    : Fault.of('must be UTC or a time zone of the IANA database such as Europe/Lisbon'),
);

function isKnown(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
