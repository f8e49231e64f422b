import { KEY_ACCESS, type KeyAccess } from '../../common/access/caller.js';
import { Instant, instantOf } from '../../common/validation/calendar.js';
import { Enumeration, Text } from '../../common/validation/decorators.js';
import { Also, Optional } from '../../common/validation/field.js';
import { enumOf } from '../../common/validation/schema.js';

export class KeyRequest {
  @Text(255, { description: 'Tells your keys apart.', example: 'Nightly sync' })
  readonly name!: string;

  @Enumeration(enumOf(KEY_ACCESS, 'KeyAccess'), {
    description: '`READ` admits GET, HEAD, the search and exports; `WRITE` everything but API keys.',
    example: 'READ',
  })
  readonly access!: KeyAccess;

  @Also('must be in the future', (text) => Date.parse(instantOf(text) ?? '') > Date.now())
  @Optional()
  @Instant({ description: 'Without it, the key is valid until deleted.', example: '2099-01-31T00:00:00Z' })
  readonly expiresAt!: string | null;
}
