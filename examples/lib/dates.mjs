/** UTC, or a name of the IANA database with an area and a location, as the reports take it. */
export function isTimeZone(name) {
  try {
    return name === 'UTC' || (name.includes('/') && Boolean(clockOf(name)));
  } catch {
    return false;
  }
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
