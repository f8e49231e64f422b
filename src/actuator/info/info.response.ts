import type { SchemaObject } from '@nestjs/swagger';
import { Returned } from '../../http/fields/fields.js';
import { type Schema, TEXT } from '../../http/fields/schema.js';
import type { BuildInfo } from './build-info.js';

const TIME = { ...TEXT, nullable: true, description: 'A date and time, unless the build knew none.' };

/** The schema of an object of texts, from an example. */
function like(example: object): Schema {
  const properties = Object.entries(example).map(([name, value]: [string, unknown]) => {
    const text = name === 'time' ? TIME : TEXT;
    return [name, typeof value === 'string' ? { ...text, examples: [value] } : like(value as object)];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, SchemaObject>,
    required: Object.keys(example),
  };
}

const NAME = 'property-finance-service';
const COMMIT = { id: '4c1d2f0e9b7a6c5d8e3f1a2b4c6d8e0f1a3b5c7d', time: '2026-03-01T07:45:00.000Z' };

export class InfoResponse {
  @Returned(like({ name: 'property-finance', description: 'An open ledger API' }))
  app!: Pick<BuildInfo, 'name' | 'description'>;

  @Returned(like({ artifact: NAME, name: NAME, version: '1.0.0', time: '2026-03-01T08:00:00.000Z' }))
  build!: Pick<BuildInfo, 'name' | 'version' | 'time'> & { readonly artifact: string };

  @Returned(like({ branch: 'main', commit: COMMIT })) git!: BuildInfo['git'];
  @Returned(like({ version: 'v24.0.0' })) node!: { readonly version: string };

  @Returned(like({ name: 'Linux', version: '6.1.0', arch: 'x64' }))
  os!: { readonly name: string; readonly version: string; readonly arch: string };
}
