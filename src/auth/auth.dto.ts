import { Fault, Optional, Required } from '../http/fields.js';
import { email, text } from '../http/values.js';

export class SignUpRequest {
  @Required(email)
  email!: string;

  @Required(text(50, 3))
  username!: string;

  @Required(text(72, 8))
  password!: string;

  @Optional(text(255))
  firstName!: string | null;

  @Optional(text(255))
  lastName!: string | null;
}

/** No rule but that both are strings: what cannot be a name or password is simply a wrong one. */
export class SignInRequest {
  @Required(anyString)
  username!: string;

  @Required(anyString)
  password!: string;
}

function anyString(wire: unknown): string | Fault {
  return typeof wire === 'string' ? wire : Fault.of('must be a string');
}
