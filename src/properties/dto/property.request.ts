import { IntersectionType } from '@nestjs/swagger';
import { PageQuery, SortKeys } from '../../common/paging/page.js';
import type { SortKey } from '../../database/lists/statement.js';
import { Bool, Int32, LongText, Money, Text } from '../../common/validation/decorators.js';
import { Optional } from '../../common/validation/field.js';
import { PROPERTY_SORT_FIELDS, type PropertySortField } from '../property.entity.js';

export class PropertyRequest {
  @Text(255, { example: 'Harbour Loft' }) readonly name!: string;
  @Text(255, { example: '12 Quay Street, Porto' }) readonly address!: string;

  @Optional()
  @Text(255, { example: 'Two bedrooms above the old harbour' })
  readonly description!: string | null;

  @Money({ min: '0', max: '99999999.99', description: 'For one night, exact to the cent.', example: 145.5 })
  readonly basePrice!: string;

  @Int32({ min: 1, max: 100, example: 4 }) readonly maxGuests!: number;
  @Int32({ min: 0, max: 50, example: 2 }) readonly bedrooms!: number;
  @Int32({ min: 0, max: 50, example: 1 }) readonly bathrooms!: number;

  @Bool({ description: 'Whether the property is currently rented out.', example: true })
  readonly active!: boolean;

  @Optional()
  @Text(255, { description: 'The permit for short-term rental.', example: 'STR-2026-0142' })
  readonly strPermitNumber!: string | null;

  @Optional() @LongText({ example: 'No smoking. Quiet after ten.' }) readonly houseRules!: string | null;

  @Optional()
  @LongText({ example: 'The key is in the box beside the door.' })
  readonly checkInInstructions!: string | null;
}

/** The order of a list or an export. */
export class PropertySortQuery {
  @Optional({ fallback: [{ field: 'id', direction: 'ASC' }] })
  @SortKeys(PROPERTY_SORT_FIELDS, {
    description:
      'The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key, and the only one when left out. `date` stands for createdAt and `amount` for basePrice.',
    example: ['name,asc'],
  })
  readonly sort!: SortKey<PropertySortField>[];
}

export class PropertyListQuery extends IntersectionType(PageQuery, PropertySortQuery) {
  static readonly lenient = true;
}
