import { Fault, OptionalField, fieldReader, RequiredField } from '../http/fields/fields.js';
import { TEXT } from '../http/fields/schema.js';
import { email, text } from '../http/fields/values.js';

const PASSWORD = text(72, 8);

export class SignUpRequest {
  @RequiredField(email, {
    description:
      'Unique without regard to letter case. Exactly one @ with something on both sides; no white space.',
    example: 'ada@example.com',
  })
  email!: string;

  @RequiredField(text(50, 3), {
    description: 'Unique without regard to letter case; the name to sign in with.',
    example: 'ada',
  })
  username!: string;

  @RequiredField(PASSWORD, {
    description: 'Kept as a salted bcrypt hash of cost 10, and never returned.',
    example: 'correct horse battery staple',
  })
  password!: string;

  @OptionalField(text(255), { example: 'Ada' }) firstName!: string | null;
  @OptionalField(text(255), { example: 'Lovelace' }) lastName!: string | null;
}

/** For the command line alone. */
export class NewPassword {
  @RequiredField(PASSWORD, { example: 'correct horse battery staple' }) password!: string;
}

/** Any string: an impossible name or password is a wrong one. */
const anyString = fieldReader(TEXT, (wire: unknown): string | Fault =>
  typeof wire === 'string' ? wire : Fault.of('must be a string'),
);

export class SignInRequest {
  @RequiredField(anyString, { description: 'In any letter case.', example: 'ada' }) username!: string;
  @RequiredField(anyString, { example: 'correct horse battery staple' }) password!: string;
}
