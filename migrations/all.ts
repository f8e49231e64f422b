import { Tables1800000000001 } from './1800000000001-tables.js';
import { Totals1800000000002 } from './1800000000002-totals.js';
import { Indexes1800000000003 } from './1800000000003-indexes.js';

/** In the order in which they are applied. */
export const MIGRATIONS = [Tables1800000000001, Totals1800000000002, Indexes1800000000003];
