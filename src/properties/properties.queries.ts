import type { OwnerScope } from '../access/owner-scope.js';
import { JsonView } from '../database/json-view.js';
import { orderBy, type ListStatement, preparedName } from '../database/lists/list-statement.js';
import { fieldsOf } from '../http/fields/fields.js';
import type { SortKey } from '../http/fields/sort.js';
import { PropertyResponse } from './property.response.js';
import { Property } from './property.entity.js';
import { type PropertySortField, SORT_COLUMNS } from './properties.sort.js';

export const PROPERTY_VIEW = JsonView.of(Property, fieldsOf(PropertyResponse));

export function propertyPage(scope: OwnerScope, keys: readonly SortKey<PropertySortField>[]): ListStatement {
  const list = {
    table: 'properties',
    view: PROPERTY_VIEW,
    order: orderBy(keys, SORT_COLUMNS),
  };
  if (scope === 'every-owner') {
    const total = '(SELECT coalesce(sum(o.properties), 0) FROM owner_totals o)';
    return { ...list, ...preparedName('properties.all', keys), where: 'true', total, values: [] };
  }
  const total = 'coalesce((SELECT o.properties FROM owner_totals o WHERE o.owner_id = $1), 0)';
  return {
    ...list,
    ...preparedName('properties.of_owner', keys),
    ofOneOwner: true,
    where: 't.owner_id = $1',
    total,
    values: [scope.ownerId],
  };
}
