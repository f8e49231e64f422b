import { Returned, ReturnedFrom } from '../http/fields/fields.js';
import { pagedEnvelope } from '../http/fields/page.js';
import { INT64 } from '../http/fields/schema.js';
import { PropertyRequest } from './properties.dto.js';

/** Written by the database: see `PROPERTY_VIEW`. */
export class PropertyResponse {
  @Returned({ ...INT64, example: 1 }) id!: string;
  @Returned({ ...INT64, description: 'The account it belongs to.', example: 1 }) ownerId!: string;
  @ReturnedFrom(PropertyRequest) name!: string;
  @ReturnedFrom(PropertyRequest) address!: string;
  @ReturnedFrom(PropertyRequest) description!: string | null;
  @ReturnedFrom(PropertyRequest) basePrice!: string;
  @ReturnedFrom(PropertyRequest) maxGuests!: number;
  @ReturnedFrom(PropertyRequest) bedrooms!: number;
  @ReturnedFrom(PropertyRequest) bathrooms!: number;
  @ReturnedFrom(PropertyRequest) active!: boolean;
  @ReturnedFrom(PropertyRequest) strPermitNumber!: string | null;
  @ReturnedFrom(PropertyRequest) houseRules!: string | null;
  @ReturnedFrom(PropertyRequest) checkInInstructions!: string | null;
}

export const PropertyPage = pagedEnvelope(PropertyResponse, 'PropertyPage');
