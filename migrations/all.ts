import { Tables1800000000101 } from './1800000000101-tables.js';
import { Totals1800000000102 } from './1800000000102-totals.js';
import { Indexes1800000000103 } from './1800000000103-indexes.js';
import { CheaperWrites1800000000104 } from './1800000000104-cheaper-writes.js';
import { ApiKeys1800000000105 } from './1800000000105-api-keys.js';
import { Deletions1800000000106 } from './1800000000106-deletions.js';
import { IndexOfEverybody1800000000107 } from './1800000000107-index-of-everybody.js';
import { MovesOnCitus1800000000108 } from './1800000000108-moves-on-citus.js';

/** In the order in which they are applied. */
export const MIGRATIONS = [
  Tables1800000000101,
  Totals1800000000102,
  Indexes1800000000103,
  CheaperWrites1800000000104,
  ApiKeys1800000000105,
  Deletions1800000000106,
  IndexOfEverybody1800000000107,
  MovesOnCitus1800000000108,
];
