import { OptionalField, RequiredField } from '../http/fields/fields.js';
import { PageQuery } from '../http/fields/page.js';
import { type SortKey, sortKeys } from '../http/fields/sort.js';
import { boolean, int32, longText, money, text } from '../http/fields/values.js';
import { PROPERTY_SORT_FIELDS, type PropertySortField } from './properties.sort.js';

export class PropertyRequest {
  @RequiredField(text(255), { example: 'Harbour Loft' }) name!: string;
  @RequiredField(text(255), { example: '12 Quay Street, Porto' }) address!: string;
  @OptionalField(text(255), { example: 'Two bedrooms above the old harbour' }) description!: string | null;

  @RequiredField(money('0', '99999999.99'), {
    description: 'For one night, exact to the cent.',
    example: 145.5,
  })
  basePrice!: string;

  @RequiredField(int32(1, 100), { example: 4 }) maxGuests!: number;
  @RequiredField(int32(0, 50), { example: 2 }) bedrooms!: number;
  @RequiredField(int32(0, 50), { example: 1 }) bathrooms!: number;

  @RequiredField(boolean, { description: 'Whether the property is currently rented out.', example: true })
  active!: boolean;

  @OptionalField(text(255), { description: 'The permit for short-term rental.', example: 'STR-2026-0142' })
  strPermitNumber!: string | null;

  @OptionalField(longText, { example: 'No smoking. Quiet after ten.' }) houseRules!: string | null;

  @OptionalField(longText, { example: 'The key is in the box beside the door.' })
  checkInInstructions!: string | null;
}

/** The order of a list or an export. */
export const SortOfProperties = (): PropertyDecorator =>
  OptionalField(sortKeys(PROPERTY_SORT_FIELDS), {
    fallback: [{ field: 'id', direction: 'ASC' }],
    description:
      'The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key, and the only one when left out. `date` stands for createdAt and `amount` for basePrice.',
    example: ['name,asc'],
  });

export class PropertyListQuery extends PageQuery {
  @SortOfProperties() sort!: SortKey<PropertySortField>[];
}
