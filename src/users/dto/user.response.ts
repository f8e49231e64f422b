import { ROLES, type UserAccount } from '../../common/access/caller.js';
import { jsonObject, JsonText } from '../../common/json/exact-json.js';
import { responseOf } from '../../common/validation/fields.js';
import { INT64, TEXT } from '../../common/validation/schema.js';

export class UserResponse extends responseOf({
  id: { ...INT64, example: 1 },
  email: { ...TEXT, example: 'ada@example.com' },
  username: { ...TEXT, example: 'ada' },
  firstName: { ...TEXT, nullable: true, example: 'Ada' },
  lastName: { ...TEXT, nullable: true, example: 'Lovelace' },
  role: {
    ...TEXT,
    enum: [...ROLES],
    enumName: 'Role',
    description: 'Given by the server. A change counts from the next request on.',
    example: 'USER',
  },
}) {}

/** UserResponse. PostgreSQL would write it for the caller of every request, and few ask for it. */
export const userJson = ({ id, email, username, firstName, lastName, role }: UserAccount): JsonText =>
  jsonObject({ id: new JsonText(id), email, username, firstName, lastName, role });
