/** One call on one row; times are ticks of a clock that all clients share. */
export interface Event {
  readonly resource: string;
  readonly method: string;
  readonly start: number;
  readonly end: number;
  readonly status: number;
  /** Of the ETag. */
  readonly version?: number | undefined;
  readonly body: string;
  /** The version of the If-Match. */
  readonly expected?: number | undefined;
}

export function isDone({ method, status }: Event, wanted: string): boolean {
  return method === wanted && status === 200;
}

/** Contradictions among the calls on one row, if every write happens at one moment within its call. */
export function faultsOf(events: readonly Event[]): string[] {
  const found = [lostUpdates, overwrites, contradictions, staleAnswers].flatMap((rule) => rule(events));
  return found.length === 0 ? [] : [...found, ...events.map(told)];
}

/** Each acknowledged PUT raises the version by one: no gap, no repetition. */
function lostUpdates(events: readonly Event[]): string[] {
  const puts = events.filter((event) => isDone(event, 'PUT'));
  const versions = puts.map(({ version }) => version!).sort((a, b) => a - b);
  return versions.every((version, index) => version === index + 2)
    ? []
    : [`acknowledged versions ${versions.join()}`];
}

/** A write with If-Match replaces or deletes that version. */
function overwrites(events: readonly Event[]): string[] {
  const newest = Math.max(0, ...events.map(({ version = 0 }) => version));
  return events.flatMap((event) => {
    const { expected, version } = event;
    if (expected === undefined) return [];
    const isOther =
      (isDone(event, 'PUT') && version !== expected + 1) || (isDone(event, 'DELETE') && newest > expected);
    return isOther ? [`${told(event)} instead of version ${expected}`] : [];
  });
}

/** A version has one content. */
function contradictions(events: readonly Event[]): string[] {
  const bodies = new Map<number, string>();
  return events.flatMap(({ version, body, status }) => {
    if (status !== 200 || version === undefined) return [];
    const earlier = bodies.get(version) ?? body;
    bodies.set(version, earlier);
    return earlier === body ? [] : [`two contents of version ${version}:\n  ${earlier}\n  ${body}`];
  });
}

/** A response shows every write that was acknowledged before its call, and a 409 needs another write at the time. */
function staleAnswers(events: readonly Event[]): string[] {
  const deletions = events.filter((event) => isDone(event, 'DELETE'));
  const [deletion] = deletions;
  const faults = deletions.length > 1 ? ['deleted twice'] : [];
  for (const event of events) {
    const { method, status, start, end, version, expected } = event;
    const before = events.filter((other) => other.end < start);
    const newest = Math.max(0, ...before.map((other) => other.version ?? 0));
    if (version !== undefined && version < (isDone(event, 'PUT') ? newest + 1 : newest))
      faults.push(`${told(event)} after version ${newest}`);
    if (deletion !== undefined && deletion.end < start && status < 400)
      faults.push(`${told(event)} after it was deleted`);
    if (method === 'GET' && status === 404 && !(deletion !== undefined && deletion.start < end))
      faults.push(`${told(event)} though it was there`);
    const overlaps = (other: Event): boolean =>
      other !== event && isDone(other, 'PUT') && other.start < end && other.end > start;
    if (status === 409 && method === 'PUT' && expected === undefined && !events.some(overlaps))
      faults.push(`${told(event)} without another write at the time`);
  }
  return faults;
}

function told({ resource, method, start, end, status, version }: Event): string {
  const tag = version === undefined ? '' : ` with version ${version}`;
  return `${start}-${end}: ${method} ${resource} was ${status}${tag}`;
}
