/** What one client did with one resource, and when: the ticks of one clock that all clients share. */
export interface Event {
  readonly resource: string;
  readonly method: string;
  readonly start: number;
  readonly end: number;
  readonly status: number;
  /** Of the ETag, where there was one. */
  readonly version: number | undefined;
  readonly body: string;
  /** Whether the caller may see the resource for as long as it is there. */
  readonly isEntitled: boolean;
  readonly isConditional: boolean;
  /** The one version that an If-Match named. */
  readonly expected: number | undefined;
}

/** All that clients did at once, and what of it cannot be when every write happens at one moment within its call. */
export class History {
  readonly #events = new Map<string, Event[]>();

  add(event: Event): void {
    const events = this.#events.get(event.resource) ?? [];
    if (events.push(event) === 1) this.#events.set(event.resource, events);
  }

  get resources(): readonly string[] {
    return [...this.#events.keys()];
  }

  /** The last acknowledged state of a resource: its version and body, or undefined once it was deleted. */
  lastOf(resource: string): { readonly version: number; readonly body: string } | undefined {
    const events = this.#events.get(resource) ?? [];
    if (events.some((event) => isDone(event, 'DELETE'))) return undefined;
    const written = events.filter((event) => isDone(event, 'POST') || isDone(event, 'PUT'));
    const [last] = written.sort((a, b) => b.version! - a.version!);
    return last && { version: last.version!, body: last.body };
  }

  faults(): string[] {
    return [...this.#events.values()].flatMap((events) => {
      const found = [lostUpdates, overwrites, contradictions, staleAnswers].flatMap((rule) => rule(events));
      return found.length === 0 ? [] : [`${found.join('\n')}\n${events.map(told).join('\n')}`];
    });
  }
}

function isDone({ method, status }: Event, wanted: string): boolean {
  return method === wanted && status === 200;
}

/** Each acknowledged PUT makes the version grow by exactly one, so that the versions are without a gap or a repetition. */
function lostUpdates(events: readonly Event[]): string[] {
  const versions = events
    .filter((event) => isDone(event, 'PUT'))
    .map(({ version }) => version!)
    .sort((a, b) => a - b);
  const expected = versions.map((_, index) => index + 2);
  return versions.join() === expected.join() ? [] : [`acknowledged versions ${versions.join()}`];
}

/** What If-Match named was replaced or deleted, and nothing that came after it. */
function overwrites(events: readonly Event[]): string[] {
  const newest = Math.max(0, ...events.map(({ version = 0 }) => version));
  return events
    .filter(({ expected }) => expected !== undefined)
    .filter(
      (event) =>
        (isDone(event, 'PUT') && event.version !== event.expected! + 1) ||
        (isDone(event, 'DELETE') && newest > event.expected!),
    )
    .map((event) => `${told(event)} instead of version ${event.expected}`);
}

/** Whoever sees a version sees the same. */
function contradictions(events: readonly Event[]): string[] {
  const bodies = new Map<number, string>();
  const faults: string[] = [];
  for (const { version, body, status } of events) {
    if (status !== 200 || version === undefined) continue;
    const earlier = bodies.get(version) ?? body;
    bodies.set(version, earlier);
    if (earlier !== body) faults.push(`two contents of version ${version}:\n  ${earlier}\n  ${body}`);
  }
  return faults;
}

/** What was answered before a call began is so when it is answered. */
function staleAnswers(events: readonly Event[]): string[] {
  const faults: string[] = [];
  const deletions = events.filter((event) => isDone(event, 'DELETE'));
  if (deletions.length > 1) faults.push('deleted twice');
  const [deletion] = deletions;
  for (const event of events) {
    const before = events.filter(({ end }) => end < event.start);
    const newest = Math.max(0, ...before.map(({ version = 0 }) => version));
    const least = isDone(event, 'PUT') ? newest + 1 : newest;
    if (event.version !== undefined && event.version < least)
      faults.push(`${told(event)} after version ${newest}`);
    if (deletion !== undefined && deletion.end < event.start && event.status < 400)
      faults.push(`${told(event)} after it was deleted`);
    if (event.status === 404 && event.isEntitled && !(deletion !== undefined && deletion.start < event.end))
      faults.push(`${told(event)} though it was there`);
    if (isBaseless(event, events)) faults.push(`${told(event)} without another write at the time`);
  }
  return faults;
}

/** A conflict that nobody made. */
function isBaseless(event: Event, events: readonly Event[]): boolean {
  if (event.status !== 409 || event.method !== 'PUT' || event.isConditional) return false;
  return !events.some(
    (other) => other !== event && isDone(other, 'PUT') && other.start < event.end && other.end > event.start,
  );
}

function told({ resource, method, start, end, status, version }: Event): string {
  return `${start}-${end}: ${method} ${resource} was ${status}${version === undefined ? '' : ` with version ${version}`}`;
}
