const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** What may follow a day: a time, with a zone or without. */
const TIME =
  /^(?:T| at |[ ,]+)(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)? ?(?:([AP])\.?M\.?)? ?(\S.*)?$/i;
const DAY = 86_400_000;

/** UTC, or a name of the IANA database with an area and a location, as the reports take it. */
export function isTimeZone(name: string): boolean {
  return name === 'UTC' || (name.includes('/') && clockOf(name) !== undefined);
}

/** The day of `2026-01-01T03:30:00Z`, on the host's clocks where the text or `zone` says the zone of the time. */
export function dayOf(text: string, format: string, zone: string, hostZone: string): string {
  const [day, rest] = splitDay(text, format);
  if (rest === '') return day;
  const [, hour = '', minute = '', second = '00', half, written = ''] = TIME.exec(rest) ?? [];
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const wall = Date.parse(`${day}T${String(hours).padStart(2, '0')}:${minute}:${second}Z`);
  if (hour === '' || Number.isNaN(wall))
    throw new Error(`"${text}" has no time of day after the day: "${rest}"`);
  const given = written || zone;
  if (given === '') return day;
  const offset = offsetOf(given, wall);
  if (offset === undefined) throw new Error(`"${given}" is not a time zone that is known`);
  return shown(wall - offset, hostZone).slice(0, 10);
}

function splitDay(text: string, format: string): [day: string, rest: string] {
  const digits = /[^YMD]/.test(format) ? '\\d{1,2}' : '\\d{2}';
  const pattern = format
    .replace(/[^YMD]/g, '[$&]')
    .replace(/Y+/, (years) => `(?<year>\\d{${years.length}})`)
    .replace('MMM', '(?<name>[A-Za-z]{3,9})\\.?')
    .replace('MM', `(?<month>${digits})`)
    .replace('DD', `(?<day>${digits})`);
  const match = new RegExp(`^${pattern}(?!\\d)(?<rest>.*)$`).exec(text);
  const { year = '', name = '', day = '', rest = '', month } = match?.groups ?? {};
  const number = month ?? String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1);
  const iso = `${year.padStart(4, '20')}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  if (match === null || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(iso))
    throw new Error(`"${text}" is not a date of the form ${format}: "dateFormat" in the rules names another`);
  return [iso, rest.trim() === '' ? '' : rest];
}

/** Milliseconds east of UTC of `Z`, `+01:00`, `GMT+1`, `Europe/Lisbon` or `PST` when its clocks show the wall time. */
function offsetOf(zone: string, wall: number): number | undefined {
  const [, sign, hours, minutes = '0'] = /^(?:UTC|GMT)?([+-\u2212])(\d{1,2}):?(\d{2})?$/.exec(zone) ?? [];
  if (hours !== undefined) return (sign === '+' ? 60_000 : -60_000) * (Number(hours) * 60 + Number(minutes));
  if (/^(Z|UTC|GMT)$/i.test(zone)) return 0;
  // The zones of RFC 5322.
  if (/^[ECMP][SD]T$/.test(zone)) return Date.UTC(2000, 0) - Date.parse(`1 Jan 2000 00:00 ${zone}`);
  if (clockOf(zone) === undefined) return undefined;
  const near = [wall - DAY, wall + DAY].map((instant) => offsetAt(instant, zone));
  return near.find((offset) => offsetAt(wall - offset, zone) === offset) ?? near[0];
}

/** The first instant of the day in the zone. Clocks that skip midnight begin it later, those set back have it twice. */
export function startOfDay(day: string, timeZone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const starts = [midnight - DAY, midnight + DAY]
    .map((instant) => midnight - offsetAt(instant, timeZone))
    .filter((start) => shown(start, timeZone) >= `${day} 00:00:00`);
  return new Date(Math.min(...starts)).toISOString().replace('.000Z', 'Z');
}

function offsetAt(instant: number, timeZone: string): number {
  return Date.parse(`${shown(instant, timeZone).replace(' ', 'T')}Z`) - instant;
}

/** `2026-01-02 00:00:00`. */
function shown(instant: number, timeZone: string): string {
  return clockOf(timeZone)?.format(instant) ?? '';
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Undefined for a zone that is not known. */
function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const known = clocks.get(timeZone);
    const clock =
      known ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    clocks.set(timeZone, clock);
    return clock;
  } catch {
    return undefined;
  }
}
