/** Midnight UTC of the day, which must be one of the calendar. A time of day that follows is passed over. */
export function dateOf(text, format) {
  const pattern = format
    .replace(/[^YMD]/g, '\\$&')
    .replace('YYYY', '(?<year>\\d{4})')
    .replace('YY', '(?<year>\\d{2})')
    .replace('MM', '(?<month>\\d{1,2})')
    .replace('DD', '(?<day>\\d{1,2})');
  const match = new RegExp(`^${pattern}(?:[T, ]+\\d{1,2}:\\d{2}.*)?$`).exec(text);
  const { year = '', month = '', day = '' } = match?.groups ?? {};
  const iso = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T00:00:00`;
  const date = new Date(`${iso}Z`);
  if (match === null || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(iso))
    throw new Error(`"${text}" is no date of the form ${format}${hintFor(text, format)}`);
  return `${iso}Z`;
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
