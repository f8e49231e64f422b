const DATE_TIME_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/**
 * The instant of an RFC 3339 date and time, as `2026-01-15T10:30:00.000Z`, or undefined. What ISO 8601 allows
 * beyond that and many clients send is read too: offsets such as `+02` and `+0200`, a decimal comma. Seconds may be
 * left out, a time without a zone is in UTC, fractions beyond milliseconds are cut off. The calendar is checked,
 * and the instant must lie in the years 0001 to 9999 of UTC, because four digits can say no more.
 */
export function instantOf(text: string): string | undefined {
  const match = DATE_TIME_PATTERN.exec(text);
  if (match === null) return undefined;
  const [, , , , , , second = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match;
  const [year, month, day, hour, minute] = match.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const offset = offsetOf(sign, Number(offsetHours), Number(offsetMinutes));
  if (hour > 23 || minute > 59 || Number(second) > 59 || offset === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) return undefined; // 30 February
  date.setUTCHours(hour, minute - offset, Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')));
  const inRange = date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999 && year >= 1;
  return inRange ? date.toISOString() : undefined;
}

/** Minutes east of UTC, or undefined for an offset that no clock shows. */
function offsetOf(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}
