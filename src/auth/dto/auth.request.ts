import { PickType } from '@nestjs/swagger';
import { AnyString, Email, Text } from '../../common/validation/decorators.js';
import { Optional } from '../../common/validation/field.js';

export class SignUpRequest {
  @Email({
    description: 'Unique in any letter case. Exactly one @ with something on both sides; no white space.',
    example: 'ada@example.com',
  })
  readonly email!: string;

  @Text(50, { min: 3, description: 'Unique in any letter case; the name to sign in with.', example: 'ada' })
  readonly username!: string;

  @Text(72, {
    min: 8,
    description: 'Kept as a salted bcrypt hash of cost 10, and never returned.',
    example: 'correct horse battery staple',
  })
  readonly password!: string;

  @Optional() @Text(255, { example: 'Ada' }) readonly firstName!: string | null;
  @Optional() @Text(255, { example: 'Lovelace' }) readonly lastName!: string | null;
}

/** For the command line alone. */
export class NewPassword extends PickType(SignUpRequest, ['password']) {}

export class SignInRequest {
  @AnyString({ description: 'In any letter case.', example: 'ada' }) readonly username!: string;
  @AnyString({ example: 'correct horse battery staple' }) readonly password!: string;
}
