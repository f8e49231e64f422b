import type { SchemaObject } from '@nestjs/swagger';
import { Returned } from '../../http/fields/fields.js';
import { type Schema, TEXT } from '../../http/fields/schema.js';
import type { BuildInfo } from './build-info.js';

const text = (example: string): Schema => ({ ...TEXT, examples: [example] });
const TIME = { ...TEXT, nullable: true, description: 'A date and time, unless the build knew none.' };
const time = (example: string): Schema => ({ ...TIME, examples: [example] });

const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties: properties as Record<string, SchemaObject>,
  required: Object.keys(properties),
});

export class InfoResponse {
  @Returned(object({ name: text('property-finance'), description: text('An open ledger API') }))
  app!: { readonly name: string; readonly description: string };

  @Returned(
    object({
      artifact: text('property-finance-service'),
      name: text('property-finance-service'),
      version: text('1.0.0'),
      time: time('2026-03-01T08:00:00.000Z'),
    }),
  )
  build!: Pick<BuildInfo, 'name' | 'version' | 'time'> & { readonly artifact: string };

  @Returned(
    object({
      branch: text('main'),
      commit: object({
        id: text('4c1d2f0e9b7a6c5d8e3f1a2b4c6d8e0f1a3b5c7d'),
        time: time('2026-03-01T07:45:00.000Z'),
      }),
    }),
  )
  git!: BuildInfo['git'];

  @Returned(object({ version: text('v24.0.0') }))
  node!: { readonly version: string };

  @Returned(object({ name: text('Linux'), version: text('6.1.0'), arch: text('x64') }))
  os!: { readonly name: string; readonly version: string; readonly arch: string };
}
