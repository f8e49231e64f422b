import { OptionalField } from '../http/fields/fields.js';
import { flagInQuery, StrictQuery } from '../http/fields/query.js';
import type { SortKey } from '../http/fields/sort.js';
import { SortOfProperties } from '../properties/properties.dto.js';
import type { PropertySortField } from '../properties/properties.sort.js';

/** Of every export. */
export class ExportQuery extends StrictQuery {
  @OptionalField(flagInQuery, {
    fallback: false,
    description: 'Whether CSV begins with a byte order mark, by which some spreadsheets recognise UTF-8.',
    example: false,
  })
  bom!: boolean;
}

export class PropertyExportQuery extends ExportQuery {
  @SortOfProperties()
  sort!: SortKey<PropertySortField>[];
}
