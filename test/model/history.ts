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
  const puts = events.filter((event) => isDone(event, 'PUT'));
  const versions = puts.map(({ version }) => version!).sort((a, b) => a - b);
  const found = events.flatMap((event) => faultsAt(event, events).map((fault) => `${told(event)} ${fault}`));
  if (versions.some((version, index) => version !== index + 2))
    found.push(`acknowledged versions ${versions.join()}: an update is lost, or repeated`);
  if (events.filter((event) => isDone(event, 'DELETE')).length > 1) found.push('deleted twice');
  return found.length === 0 ? [] : [...found, ...events.map(told)];
}

/** The reasons why one response cannot be, beside the others. */
function faultsAt(event: Event, events: readonly Event[]): string[] {
  const { method, status, start, end, version, expected, body } = event;
  const isRead = method === 'GET';
  const isPut = isDone(event, 'PUT');
  const highest = (some: readonly Event[]): number => Math.max(0, ...some.map((other) => other.version ?? 0));
  const earlier = highest(events.filter((other) => other.end < start));
  const deletion = events.find((other) => isDone(other, 'DELETE'));
  const overlaps = (other: Event): boolean =>
    other !== event && isDone(other, 'PUT') && other.start < end && other.end > start;
  const twin = events.find((other) => other.status === 200 && other.version === version);
  const isOverwriting =
    (isPut && version !== expected! + 1) || (isDone(event, 'DELETE') && highest(events) > expected!);
  const rules: readonly [isBroken: boolean, words: string][] = [
    [expected !== undefined && isOverwriting, `instead of version ${expected}`],
    [status === 200 && version !== undefined && twin?.body !== body, `is not ${twin?.body}`],
    [version !== undefined && version < earlier + (isPut ? 1 : 0), `after version ${earlier}`],
    [deletion !== undefined && deletion.end < start && status < 400, 'after it was deleted'],
    [isRead && status === 404 && !(deletion !== undefined && deletion.start < end), 'though it was there'],
    [
      status === 409 && method === 'PUT' && expected === undefined && !events.some(overlaps),
      'without another write at the time',
    ],
  ];
  return rules.flatMap(([isBroken, words]) => (isBroken ? [words] : []));
}

function told({ resource, method, start, end, status, version }: Event): string {
  const tag = version === undefined ? '' : ` with version ${version}`;
  return `${start}-${end}: ${method} ${resource} was ${status}${tag}`;
}
