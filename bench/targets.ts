/** What the service is to reach. A figure that misses its target fails the run. */

/** The ratios hold at this many connections. */
export const TARGET_CONNECTIONS = 16;

/** Case → throughput of the service ÷ throughput of the reference, at least. A case without one only informs. */
export const LEAST_RATIOS: Readonly<Record<string, number>> = {
  'own-account': 0.85,
  'property-by-id': 0.95,
  'transaction-by-id': 0.85,
  'list-medium': 2,
  'list-large': 20,
  'list-deep': 10,
  'list-by-amount': 20,
  'list-admin': 20,
  'search-medium': 1.5,
  'search-large': 1.5,
  'search-amounts': 1.5,
  'search-category': 1,
  'term-rare': 10,
  'term-absent': 10,
  create: 0.8,
  update: 0.8,
  'sign-in': 0.9,
};

export const LIMITS = {
  /** The median latency with all rows ÷ the one with 20,000. */
  growth: 1.3,
  /** From the start of the process to the first readiness probe that says UP, in seconds. */
  startTime: 1.5,
  /** The highest resident memory of the process, in MB. */
  memory: 200,
  /** The median of any list or search in 200,000 rows of an owner, in ms. */
  path: 60,
  /** The same for a term that very many rows have, or that is too short for the index. */
  frequentTerm: 300,
  /** The same for ADMIN's lists of all rows. */
  adminPath: 1500,
  /** A page far behind in an owner's rows, by cursor ÷ the first page. One under so many ms counts as that. */
  cursor: 1.3,
  cursorFloor: 2,
  /** The median of any report of 200,000 transactions of an owner, in ms. */
  report: 150,
  /** The resident memory that an export of all rows takes more, in MB. */
  exportMemory: 80,
  /** Batches of a hundred rows ÷ single creates, each on one connection: rows per second, and processor time of a row. */
  batchRate: 5,
  batchCpu: 0.25,
  /** Processor time of a create with an Idempotency-Key ÷ that of one without. */
  keyCpu: 1.3,
  /** A file of 10,000 rows, in seconds: as long as somebody waits for a page without losing sight of it. */
  importTime: 10,
  /** The resident memory of the process meanwhile, in MB: half of the container that is promised to be enough. */
  importMemory: 256,
  /** The 99th percentile of liveness probes meanwhile, in ms: as the fault protocols have it. */
  importLiveness: 250,
  /** The 99th percentile of reads by id while sign-ins flood the service, in ms. */
  readsInFlood: 100,
} as const;
