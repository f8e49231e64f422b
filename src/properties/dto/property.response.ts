import { givenIn, responseOf } from '../../common/validation/fields.js';
import { pagedEnvelope } from '../../common/paging/page.js';
import { INT64 } from '../../common/validation/schema.js';
import { PropertyRequest } from './property.request.js';

/** Written by the database: see `PROPERTY_VIEW`. */
export class PropertyResponse extends responseOf({
  id: { ...INT64, example: 1 },
  ownerId: { ...INT64, description: 'The account it belongs to.', example: 1 },
  ...givenIn(PropertyRequest),
}) {}

export const PropertyPage = pagedEnvelope(PropertyResponse, 'PropertyPage');
