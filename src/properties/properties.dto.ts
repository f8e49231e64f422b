import { Optional, Required } from '../http/fields.js';
import { PageQuery } from '../http/page.js';
import { type SortKey, sortKeys } from '../http/sort.js';
import { boolean, int32, money, text } from '../http/values.js';
import { PROPERTY_SORT_FIELDS, type PropertySortField } from './properties.queries.js';

export class PropertyRequest {
  @Required(text(255))
  name!: string;

  @Required(text(255))
  address!: string;

  @Optional(text(255))
  description!: string | null;

  @Required(money('0', '99999999.99'))
  basePrice!: string;

  @Required(int32(1, 100))
  maxGuests!: number;

  @Required(int32(0, 50))
  bedrooms!: number;

  @Required(int32(0, 50))
  bathrooms!: number;

  @Required(boolean)
  active!: boolean;

  @Optional(text(255))
  strPermitNumber!: string | null;

  @Optional(text())
  houseRules!: string | null;

  @Optional(text())
  checkInInstructions!: string | null;
}

export class PropertyListQuery extends PageQuery {
  @Optional(sortKeys(PROPERTY_SORT_FIELDS), [{ field: 'id', direction: 'ASC' }])
  sort!: SortKey<PropertySortField>[];
}
