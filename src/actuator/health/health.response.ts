import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { responseOf } from '../../common/validation/fields.js';
import { type Schema, TEXT } from '../../common/validation/schema.js';

/** As Spring Boot names them, the gravest first. */
export const HEALTH_STATUSES = ['DOWN', 'OUT_OF_SERVICE', 'UP'] as const;
type Status = (typeof HEALTH_STATUSES)[number];

const STATUS: Schema = { ...TEXT, enum: [...HEALTH_STATUSES], enumName: 'HealthStatus', example: 'UP' };
const DETAILS = { type: 'object', additionalProperties: true, description: 'The result of the check.' };

export class HealthComponent extends responseOf({ status: STATUS }, { details: DETAILS }) {
  readonly status!: Status;
  readonly details?: Readonly<Record<string, unknown>>;
}

const COMPONENTS: Schema = {
  type: 'object',
  additionalProperties: { $ref: getSchemaPath(HealthComponent) },
  description: 'ADMIN only.',
};
const GROUPS = { type: 'array', items: TEXT, description: 'For an ADMIN, and only in the aggregate.' };

@ApiExtraModels(HealthComponent)
export class HealthResponse extends responseOf(
  { status: STATUS },
  { components: COMPONENTS, groups: GROUPS },
) {
  readonly status!: Status;
  readonly components?: Readonly<Record<string, HealthComponent>>;
  readonly groups?: readonly string[];
}
