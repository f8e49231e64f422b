import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { Returned } from '../../http/fields/fields.js';
import { type Schema, TEXT } from '../../http/fields/schema.js';

/** As Spring Boot names them, the gravest first. */
export const STATUSES = ['DOWN', 'OUT_OF_SERVICE', 'UP'] as const;
export type Status = (typeof STATUSES)[number];

/** The state of one thing. */
export interface Component {
  readonly status: Status;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The state of several things: as bad as the worst. */
export interface Health {
  readonly status: Status;
  readonly components: Readonly<Record<string, Component>>;
}

const STATUS: Schema = { ...TEXT, enum: [...STATUSES], enumName: 'HealthStatus', example: 'UP' };

class HealthComponent {
  @Returned(STATUS)
  status!: Status;

  @Returned(
    { type: 'object', additionalProperties: true, description: 'The result of the check.' },
    { sometimes: true },
  )
  details?: Record<string, unknown>;
}

@ApiExtraModels(HealthComponent)
export class HealthResponse {
  @Returned(STATUS)
  status!: Status;

  @Returned(
    {
      type: 'object',
      additionalProperties: { $ref: getSchemaPath(HealthComponent) },
      description: 'ADMIN only.',
    },
    { sometimes: true },
  )
  components?: Record<string, Component>;

  @Returned(
    { type: 'array', items: TEXT, description: 'For an ADMIN, and only in the aggregate.' },
    { sometimes: true },
  )
  groups?: string[];
}
