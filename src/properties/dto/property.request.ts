import { optional, required, requestOf } from '../../common/validation/fields.js';
import { PAGE_OR_CURSOR } from '../../common/paging/page.js';
import { sortKeys } from '../../common/paging/sort.js';
import { boolean, int32, longText, money, text } from '../../common/validation/values.js';
import { PROPERTY_SORT_FIELDS } from '../properties.sort.js';

export class PropertyRequest extends requestOf({
  name: required(text(255), { example: 'Harbour Loft' }),
  address: required(text(255), { example: '12 Quay Street, Porto' }),
  description: optional(text(255), { example: 'Two bedrooms above the old harbour' }),
  basePrice: required(money('0', '99999999.99'), {
    description: 'For one night, exact to the cent.',
    example: 145.5,
  }),
  maxGuests: required(int32(1, 100), { example: 4 }),
  bedrooms: required(int32(0, 50), { example: 2 }),
  bathrooms: required(int32(0, 50), { example: 1 }),
  active: required(boolean, { description: 'Whether the property is currently rented out.', example: true }),
  strPermitNumber: optional(text(255), {
    description: 'The permit for short-term rental.',
    example: 'STR-2026-0142',
  }),
  houseRules: optional(longText, { example: 'No smoking. Quiet after ten.' }),
  checkInInstructions: optional(longText, { example: 'The key is in the box beside the door.' }),
}) {}

/** The order of a list or an export. */
export const SORT_OF_PROPERTIES = optional(sortKeys(PROPERTY_SORT_FIELDS), {
  fallback: [{ field: 'id', direction: 'ASC' }],
  description:
    'The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key, and the only one when left out. `date` stands for createdAt and `amount` for basePrice.',
  example: ['name,asc'],
});

export class PropertyListQuery extends requestOf({ ...PAGE_OR_CURSOR, sort: SORT_OF_PROPERTIES }) {}
