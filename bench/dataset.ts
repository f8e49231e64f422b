/** What a seeded database holds. All of it is computed from row numbers, so that two seeds are alike. */
export interface Dataset {
  readonly owners: number;
  readonly transactions: number;
  /** How many transactions the first owners have, in their order; the others share the rest evenly. */
  readonly large: readonly number[];
}

/** Who is who: accounts are numbered from 1, and the first is the only ADMIN. */
export const ADMIN = 1;
export const FIRST_OWNER = 2;
/** The owners of the benchmark. What is written belongs to others than what is read. */
export const READER = FIRST_OWNER;
export const WRITER = READER + 1;
export const MEDIUM = WRITER + 1;
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

const ORDINARY_PROPERTIES = 4;
const LARGE_PROPERTIES = 25;

/** One owner's part of the data. Property ids are consecutive. */
export interface Share {
  readonly owner: number;
  readonly transactions: number;
  readonly properties: number;
  readonly firstProperty: number;
}

/** Throws when the large owners have more than there is. */
export function sharesOf({ owners, transactions, large }: Dataset): Share[] {
  const others = owners - large.length;
  const rest = transactions - large.reduce((sum, rows) => sum + rows, 0);
  if (others < 1 || rest < 0)
    throw new RangeError(
      'the sizes leave nothing for the ordinary owners: more --owners or --transactions, or less --big',
    );
  const shares: Share[] = [];
  let firstProperty = 1;
  for (let index = 0; index < owners; index++) {
    const ordinal = index - large.length;
    const even = Math.floor(((ordinal + 1) * rest) / others) - Math.floor((ordinal * rest) / others);
    const properties = index < large.length ? LARGE_PROPERTIES : ORDINARY_PROPERTIES;
    shares.push({
      owner: FIRST_OWNER + index,
      transactions: large[index] ?? even,
      properties,
      firstProperty,
    });
    firstProperty += properties;
  }
  return shares;
}
