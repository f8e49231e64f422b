/** The name of a period as PostgreSQL formats it, and its length. */
const UNITS = {
  month: { format: 'YYYY-MM', step: '1 month' },
  quarter: { format: 'YYYY-"Q"Q', step: '3 months' },
  year: { format: 'YYYY', step: '1 year' },
} as const;
export type Unit = keyof typeof UNITS;

export function isUnit(name: string): name is Unit {
  return name in UNITS;
}

/**
 * SQL: the first instant at which the clocks of a zone show this local time or a later one. Where a time comes twice,
 * because the clocks are set back, PostgreSQL means the second; the first is found by the offset of the day before.
 */
function firstInstantOf(local: string, zone: string): string {
  const usual = `(${local} AT TIME ZONE ${zone})`;
  const before = `(${usual} - interval '24 hours')`;
  const offset = `((${before} AT TIME ZONE ${zone}) - (${before} AT TIME ZONE 'UTC'))`;
  const earlier = `((${local} - ${offset}) AT TIME ZONE 'UTC')`;
  return `least(${usual}, CASE WHEN (${earlier} AT TIME ZONE ${zone}) >= ${local} THEN ${earlier} END)`;
}

/** SQL: the first instant of a day, or of the one that many days later. */
export function startOfDay(day: string, zone: string, later = 0): string {
  return firstInstantOf(`(${day}::date + ${later})::timestamp`, zone);
}

/**
 * SQL: the starts of all periods of a unit from one local time to another, and what they are called, as two arrays in
 * one row. Which period an instant is in is then a search among some dozens of instants (`width_bucket`), and takes a
 * fraction of what asking for its month in a time zone would.
 */
export function periodsOf(unit: Unit, span: string, zone: string, most: number): string {
  const { format, step } = UNITS[unit];
  return `SELECT array_agg(${firstInstantOf('p.start', zone)} ORDER BY p.start) AS starts,
                 array_agg(to_char(p.start, '${format}') ORDER BY p.start) AS names
            FROM (SELECT g.start FROM ${span} s,
                         generate_series(date_trunc('${unit}', s.first), s.last, interval '${step}') g(start)
                   LIMIT ${most + 1}) p`;
}
