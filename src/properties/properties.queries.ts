import type { OwnerScope } from '../access/owner-scope.js';
import { JsonView } from '../database/json-view.js';
import { type ListStatement, ownedList } from '../database/lists/list-statement.js';
import { fieldsOf } from '../http/fields/fields.js';
import type { SortKey } from '../http/fields/sort.js';
import { PropertyResponse } from './property.response.js';
import { Property } from './property.entity.js';
import { type PropertySortField, SORT_COLUMNS } from './properties.sort.js';

export const PROPERTY_VIEW = new JsonView(Property, fieldsOf(PropertyResponse));

export function propertyPage(scope: OwnerScope, keys: readonly SortKey<PropertySortField>[]): ListStatement {
  return ownedList('properties', PROPERTY_VIEW, scope, keys, SORT_COLUMNS);
}
