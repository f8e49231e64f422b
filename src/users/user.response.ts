import { type Role, ROLES } from '../access/role.js';
import { Returned } from '../http/fields/fields.js';
import { INT64, TEXT } from '../http/fields/schema.js';

/** Written by the database: see `USER_VIEW`. */
export class UserResponse {
  @Returned({ ...INT64, example: 1 }) id!: string;
  @Returned({ ...TEXT, example: 'ada@example.com' }) email!: string;
  @Returned({ ...TEXT, example: 'ada' }) username!: string;
  @Returned({ ...TEXT, nullable: true, example: 'Ada' }) firstName!: string | null;
  @Returned({ ...TEXT, nullable: true, example: 'Lovelace' }) lastName!: string | null;

  @Returned({
    ...TEXT,
    enum: [...ROLES],
    enumName: 'Role',
    description: 'Given by the server. A change counts from the next request on.',
    example: 'USER',
  })
  role!: Role;
}
