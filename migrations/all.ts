import { Accounts1795000000001 } from './1795000000001-accounts.js';
import { Ledger1795000000002 } from './1795000000002-ledger.js';
import { Totals1795000000003 } from './1795000000003-totals.js';
import { ListsAndSearch1795000000004 } from './1795000000004-lists-and-search.js';
import { SearchIndex1795000000005 } from './1795000000005-search-index.js';
import { SearchPendingList1795000000006 } from './1795000000006-search-pending-list.js';
import { BulkTotals1795000000007 } from './1795000000007-bulk-totals.js';
import { OneIndexForFilters1795000000008 } from './1795000000008-one-index-for-filters.js';
import { NameOfProperty1795000000009 } from './1795000000009-name-of-property.js';
import { DeletionsByStatement1795000000010 } from './1795000000010-deletions-by-statement.js';
import { IdempotencyKeys1795000000011 } from './1795000000011-idempotency-keys.js';
import { WhatIsOwedAndRecurs1795000000013 } from './1795000000013-what-is-owed-and-recurs.js';
import { KeysOfMany1795000000014 } from './1795000000014-keys-of-many.js';
import { DeletionsByOwner1795000000016 } from './1795000000016-deletions-by-owner.js';

/** In the order in which they are applied. */
export const MIGRATIONS = [
  Accounts1795000000001,
  Ledger1795000000002,
  Totals1795000000003,
  ListsAndSearch1795000000004,
  SearchIndex1795000000005,
  SearchPendingList1795000000006,
  BulkTotals1795000000007,
  OneIndexForFilters1795000000008,
  NameOfProperty1795000000009,
  DeletionsByStatement1795000000010,
  IdempotencyKeys1795000000011,
  WhatIsOwedAndRecurs1795000000013,
  KeysOfMany1795000000014,
  DeletionsByOwner1795000000016,
];
