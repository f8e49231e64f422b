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

/** Milliseconds of the median response unless said otherwise. */
export const LIMITS = {
  /** First pages, and page 5,000 in the default order and by id and amount, of an owner's 200,000 rows. */
  path: 60,
  /** Page 5,000 in the other orders. */
  deepPath: 200,
  /** First pages by description and vendor, which have no index. */
  unindexed: 400,
  /** A term in very many rows, or too short for the index. */
  frequentTerm: 300,
  /** An ADMIN's lists of all rows. */
  adminPath: 1500,
  /** Any report of an owner's 200,000 transactions. */
  report: 150,
  /** From the start of the process to the first readiness probe that says UP, in seconds. */
  startTime: 1.5,
  /** The highest resident memory under the load of the cases, in MB. */
  memory: 200,
} as const;
