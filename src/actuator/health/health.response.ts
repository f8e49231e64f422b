import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { Shown } from '../../common/validation/field.js';
import { type Schema, TEXT } from '../../common/validation/schema.js';

/** As Spring Boot names them, the gravest first. */
export const HEALTH_STATUSES = ['DOWN', 'OUT_OF_SERVICE', 'UP'] as const;
type Status = (typeof HEALTH_STATUSES)[number];

const STATUS: Schema = { ...TEXT, enum: [...HEALTH_STATUSES], enumName: 'HealthStatus', example: 'UP' };
const OBJECT = { type: 'object', required: false } as const;
const LIST = { type: 'array', required: false } as const;

export class HealthComponent {
  @Shown(STATUS) readonly status!: Status;
  @Shown({ ...OBJECT, additionalProperties: true, description: 'The result of the check.' })
  readonly details?: Readonly<Record<string, unknown>>;
}

const COMPONENT = { $ref: getSchemaPath(HealthComponent) };

@ApiExtraModels(HealthComponent)
export class HealthResponse {
  @Shown(STATUS) readonly status!: Status;
  @Shown({ ...OBJECT, additionalProperties: COMPONENT, description: 'ADMIN only.' })
  readonly components?: Readonly<Record<string, HealthComponent>>;
  @Shown({ ...LIST, items: TEXT, description: 'For an ADMIN, and only in the aggregate.' })
  readonly groups?: readonly string[];
}
