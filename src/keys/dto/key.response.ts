import { KEY_ACCESS } from '../../common/access/caller.js';
import { responseOf } from '../../common/validation/fields.js';
import { enumOf, INSTANT, INT64, TEXT } from '../../common/validation/schema.js';

const FIELDS = {
  id: { ...INT64, example: 1 },
  name: { ...TEXT, example: 'Nightly sync' },
  access: { ...enumOf(KEY_ACCESS, 'KeyAccess'), example: 'READ' },
  createdAt: { ...INSTANT, example: '2026-01-15T10:30:00.000Z' },
  lastUsed: {
    ...{ type: 'string', format: 'date', nullable: true },
    description: 'The last day, in UTC, on which the key was used.',
    example: '2026-01-31',
  },
  expiresAt: { ...INSTANT, nullable: true, example: '2099-01-31T00:00:00.000Z' },
};

export class KeyResponse extends responseOf(FIELDS) {}

export class CreatedKeyResponse extends responseOf({
  key: {
    ...TEXT,
    description: 'The key, for the header `Authorization: Bearer …`. It is shown this once and kept nowhere.',
    example: 'pfk_1_wkJ7nFQ0m1xXzS3tY8b5VhL2cR9dGpA6uEoKiTq4sMw',
  },
  ...FIELDS,
}) {}
