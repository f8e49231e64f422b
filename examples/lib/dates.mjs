const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** Each of year, month and day once, with nothing but marks between them. */
const FORM = /^(?=[^Y]*(?:YY){1,2}[^Y]*$)(?=[^M]*M{2,3}[^M]*$)(?=[^D]*DD[^D]*$)[ .,/YMD-]+$/;

export function isDateForm(format) {
  return FORM.test(format);
}

/** UTC, or a name of the IANA database with an area and a location, as the reports take it. */
export function isTimeZone(name) {
  try {
    return name === 'UTC' || (name.includes('/') && Boolean(clockOf(name)));
  } catch {
    return false;
  }
}

/** The day of a text in that form, as YYYY-MM-DD. A time of day that follows is passed over. */
export function dayOf(text, format) {
  const digits = /[^YMD]/.test(format) ? '\\d{1,2}' : '\\d{2}';
  const pattern = format
    .replace(/[^YMD]/g, '\\$&')
    .replace('YYYY', '(?<year>\\d{4})')
    .replace('YY', '(?<year>\\d{2})')
    .replace('MMM', '(?<name>[A-Za-z]{3,9})\\.?')
    .replace('MM', `(?<month>${digits})`)
    .replace('DD', `(?<day>${digits})`);
  const match = new RegExp(`^${pattern}(?:[T, ]+\\d{1,2}:\\d{2}.*)?$`).exec(text);
  const { year = '', name, day = '', month = numberOf(name) } = match?.groups ?? {};
  const iso = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  if (match === null || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(iso))
    throw new Error(`"${text}" is not a date of the form ${format}${hintFor(text, format)}`);
  return iso;
}

function numberOf(name = '') {
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase());
  return month < 0 ? '' : String(month + 1);
}

/** The first instant of the day in the zone. Clocks that skip midnight begin it later, those set back have it twice. */
export function startOfDay(day, timeZone) {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const clock = clockOf(timeZone);
  const shownAt = (instant) => Date.parse(`${clock.format(instant).replace(' ', 'T')}Z`);
  const around = [midnight - 86_400_000, midnight + 86_400_000];
  const candidates = around.map((instant) => midnight - (shownAt(instant) - instant));
  const start = Math.min(...candidates.filter((instant) => shownAt(instant) >= midnight));
  return new Date(start).toISOString().replace('.000Z', 'Z');
}

/** Shows an instant as `2026-01-02 00:00:00`. */
function clockOf(timeZone) {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
}

/** The form that it seems to have, when that is another one. */
function hintFor(text, format) {
  const [, first, mark, last] = /^(\d+)([./-])\d+\2(\d+)/.exec(text) ?? [];
  if (first === undefined) return '';
  const year = last.length === 4 ? 'YYYY' : 'YY';
  const forms =
    first.length === 4
      ? [`YYYY${mark}MM${mark}DD`]
      : [`DD${mark}MM${mark}${year}`, ...(mark === '.' ? [] : [`MM${mark}DD${mark}${year}`])];
  return forms.includes(format) ? '' : `; see --date-format, ${forms.join(' or ')} perhaps`;
}
