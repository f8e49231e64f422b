import { optional, required, requestOf, textReader } from '../../common/validation/fields.js';
import { TEXT } from '../../common/validation/schema.js';
import { email, text } from '../../common/validation/values.js';

const PASSWORD = text(72, 8);

export class SignUpRequest extends requestOf({
  email: required(email, {
    description:
      'Unique without regard to letter case. Exactly one @ with something on both sides; no white space.',
    example: 'ada@example.com',
  }),
  username: required(text(50, 3), {
    description: 'Unique without regard to letter case; the name to sign in with.',
    example: 'ada',
  }),
  password: required(PASSWORD, {
    description: 'Kept as a salted bcrypt hash of cost 10, and never returned.',
    example: 'correct horse battery staple',
  }),
  firstName: optional(text(255), { example: 'Ada' }),
  lastName: optional(text(255), { example: 'Lovelace' }),
}) {}

/** For the command line alone. */
export class NewPassword extends requestOf({
  password: required(PASSWORD, { example: 'correct horse battery staple' }),
}) {}

/** Any string: an impossible name or password is a wrong one. */
const anyString = textReader(TEXT, 'must be a string', (text) => text);

export class SignInRequest extends requestOf({
  username: required(anyString, { description: 'In any letter case.', example: 'ada' }),
  password: required(anyString, { example: 'correct horse battery staple' }),
}) {}
