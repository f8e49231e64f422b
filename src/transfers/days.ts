import { instantOf } from '../common/validation/calendar.js';

const DAY = 24 * 60 * 60 * 1000;

/** Day such as 2026-02-01 → the first instant at which clocks there show it or a later one; undefined for other texts. */
export function startsOfDays(timeZone: string): (text: string) => string | undefined {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const starts = new Map<string, string | undefined>();
  return (text) => {
    if (text.length !== 10) return undefined;
    if (!starts.has(text)) starts.set(text, startOf(instantOf(`${text}T00:00Z`), format));
    return starts.get(text);
  };
}

/** Clocks set forward at midnight skip it; clocks set back show it twice. */
function startOf(midnight: string | undefined, format: Intl.DateTimeFormat): string | undefined {
  if (midnight === undefined) return undefined;
  const local = Date.parse(midnight);
  const times = [local - DAY, local + DAY].map((time) => local - offsetAt(time, format));
  const onThatDay = times.filter((time) => time + offsetAt(time, format) >= local);
  return new Date(Math.min(...onThatDay, Math.max(...times))).toISOString();
}

/** Milliseconds east of UTC. */
function offsetAt(time: number, format: Intl.DateTimeFormat): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(format.format(time)) ?? [];
  return (sign === '-' ? -1000 : 1000) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds));
}
