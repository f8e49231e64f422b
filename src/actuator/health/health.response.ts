import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { Shown } from '../../common/validation/field.js';
import { enumOf, TEXT } from '../../common/validation/schema.js';

/** Terminus's words → Spring Boot's, the gravest first. */
export const HEALTH_STATUSES = { down: 'DOWN', degraded: 'OUT_OF_SERVICE', up: 'UP' } as const;
type Status = (typeof HEALTH_STATUSES)[keyof typeof HEALTH_STATUSES];

const STATUS = { ...enumOf(Object.values(HEALTH_STATUSES), 'HealthStatus'), example: 'UP' };
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
