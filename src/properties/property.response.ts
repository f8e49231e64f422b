import { givenIn, responseOf } from '../http/fields/fields.js';
import { pagedEnvelope } from '../http/fields/page.js';
import { INT64 } from '../http/fields/schema.js';
import { PropertyRequest } from './properties.dto.js';

/** Written by the database: see `PROPERTY_VIEW`. */
export class PropertyResponse extends responseOf({
  id: { ...INT64, example: 1 },
  ownerId: { ...INT64, description: 'The account it belongs to.', example: 1 },
  ...givenIn(PropertyRequest),
}) {}

export const PropertyPage = pagedEnvelope(PropertyResponse, 'PropertyPage');
