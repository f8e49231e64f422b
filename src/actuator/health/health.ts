/** As Spring Boot names them, the gravest first. */
export const STATUSES = ['DOWN', 'OUT_OF_SERVICE', 'UP'] as const;
export type Status = (typeof STATUSES)[number];

/** The state of one thing that is looked at. */
export interface Component {
  readonly status: Status;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The state of several things. */
export interface Health {
  readonly status: Status;
  readonly components: Readonly<Record<string, Component>>;
}

/** As bad as its worst component. */
export function healthOf(components: Readonly<Record<string, Component>>): Health {
  const found = new Set(Object.values(components).map(({ status }) => status));
  return { status: STATUSES.find((status) => found.has(status)) ?? 'UP', components };
}
