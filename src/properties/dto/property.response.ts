import { IntersectionType } from '@nestjs/swagger';
import { changesOf } from '../../common/paging/changes.js';
import { pagedEnvelope } from '../../common/paging/page.js';
import { Shown } from '../../common/validation/field.js';
import { Given } from '../../common/validation/fields.js';
import { INT64 } from '../../common/validation/schema.js';
import { PropertyRequest } from './property.request.js';

class PropertyKey {
  @Shown({ ...INT64, example: 1 }) readonly id!: string;
  @Shown({ ...INT64, description: 'The account it belongs to.', example: 1 }) readonly ownerId!: string;
}

export class PropertyResponse extends IntersectionType(PropertyKey, Given(PropertyRequest)) {}

export const PropertyPage = pagedEnvelope(PropertyResponse, 'PropertyPage');
export const PropertyChanges = changesOf(PropertyResponse, 'Property');
