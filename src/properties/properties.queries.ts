import type { OwnerScope } from '../common/access/owner-scope.js';
import type { Statement } from '../database/database.js';
import { JsonView } from '../database/json-view.js';
import { type ListStatement, ownedList } from '../database/lists/list-statement.js';
import { OwnedTable } from '../database/owned-table.js';
import { fieldsOf } from '../common/validation/fields.js';
import type { SortKey } from '../common/paging/sort.js';
import { authenticationRequired, ProblemError } from '../common/problems/problem.js';
import { PropertyRequest } from './dto/property.request.js';
import { PropertyResponse } from './dto/property.response.js';
import { Property } from './property.entity.js';
import { type PropertySortField, SORT_COLUMNS } from './properties.sort.js';

export const PROPERTY_VIEW = new JsonView(Property, fieldsOf(PropertyResponse));

export function propertyPage(scope: OwnerScope, keys: readonly SortKey<PropertySortField>[]): ListStatement {
  return { ...ownedList('properties', PROPERTY_VIEW, scope, keys, SORT_COLUMNS), isLong: true };
}

export const PROPERTIES = new OwnedTable({
  entity: Property,
  request: PropertyRequest,
  view: PROPERTY_VIEW,
  inUse: () =>
    new ProblemError('resource-in-use', 'The property has transactions: delete or move them first.'),
});

const { columns } = PROPERTIES;

/** $1 owner, then the written values. */
const INSERT = `INSERT INTO properties AS t (owner_id, ${columns}) VALUES ($1, ${PROPERTIES.placeholders(1)})`;

/** The caller's account was deleted after the request had come in. */
const foreignKey = (): ProblemError => authenticationRequired(true);

export const INSERT_PROPERTY: Statement = { ...PROPERTIES.returning('insert', INSERT), foreignKey };

/** $1 owner, $2 id, $3 the version that was read, then the written values. */
export const UPDATE_PROPERTY: Statement = PROPERTIES.returning(
  'update',
  `UPDATE properties t SET ${PROPERTIES.assignments(3)} WHERE t.owner_id = $1 AND t.id = $2 AND t.version = $3`,
);
