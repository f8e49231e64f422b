import {
  CATEGORIES,
  PROPERTY_SORT_FIELDS,
  STATUSES,
  TRANSACTION_SORT_FIELDS,
  TYPES,
} from '../support/contract.js';
import { propertyRequest, transactionRequest } from '../support/factories.js';
import type { Random } from '../support/random.js';
import { searchBody, someSearch } from '../support/search-requests.js';
import { someText } from '../support/search-rows.js';

/** What a host asks and writes: another text each time. All of it is valid. */

const LONGEST_NOTES = 2000;

export function someProperty(random: Random): object {
  const houseRules = 'r'.repeat(random.below(LONGEST_NOTES));
  return propertyRequest({ name: someText(random), houseRules });
}

export function someTransaction(random: Random, propertyId: number, marker: string): object {
  return transactionRequest(propertyId, {
    bookingReference: marker,
    description: someText(random),
    type: random.pick(TYPES),
    category: random.pick(CATEGORIES),
    status: random.pick(STATUSES),
    amount: (1 + random.below(1_000_000)) / 100,
    notes: 'n'.repeat(random.below(LONGEST_NOTES)),
    tags: [someText(random)],
    metadata: { [someText(random)]: marker },
  });
}

export function someFilters(random: Random, propertyIds: readonly number[]): string {
  return searchBody(someSearch(random, propertyIds));
}

export function somePageOfTransactions(random: Random): string {
  return somePage(random, TRANSACTION_SORT_FIELDS);
}

export function somePageOfProperties(random: Random): string {
  return somePage(random, PROPERTY_SORT_FIELDS);
}

/** The query of a list. */
function somePage(random: Random, fields: readonly string[]): string {
  const sort = random.chance(0.5) ? '' : `sort=${random.pick(fields)},${random.pick(['asc', 'desc'])}&`;
  return `${sort}page=${random.below(2)}&size=${1 + random.below(100)}`;
}
