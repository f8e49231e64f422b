/** The contents of a seeded database, computed from row numbers, so that two seeds are alike. */
export interface Dataset {
  readonly owners: number;
  readonly transactions: number;
  /** How many transactions the first owners have, in their order; the others share the rest evenly. */
  readonly large: readonly number[];
}

/** Who is who: accounts are numbered from 1, and the first is the only ADMIN. */
export const ADMIN = 1;
export const FIRST_OWNER = 2;
/** The owners of the benchmark. */
export const LARGE = FIRST_OWNER;
export const MEDIUM = LARGE + 1;
export const FIRST_ORDINARY = MEDIUM + 1;

export const PASSWORD = 'correct horse battery';
export const MEDIUM_TRANSACTIONS = 2000;

/** Free text: in about a tenth of all rows, in twenty rows of the first owner, in none, and too short for a trigram. */
export const TERMS = {
  common: 'cleaning',
  rare: 'kingfisher',
  absent: 'zeppelin',
  twoLetters: 'wi',
} as const;
export const RARE_ROWS = 20;
