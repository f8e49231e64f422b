import { ApiExtraModels } from '@nestjs/swagger';
import { Returned } from '../http/fields/fields.js';
import { INT64, referenceTo, TEXT } from '../http/fields/schema.js';
import { UserResponse } from '../users/user.response.js';

@ApiExtraModels(UserResponse)
export class AuthResponse {
  @Returned({
    ...TEXT,
    description: 'A JSON Web Token, for the header `Authorization: Bearer …`.',
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  })
  accessToken!: string;

  @Returned({ ...TEXT, enum: ['Bearer'], example: 'Bearer' })
  tokenType!: string;

  @Returned({ ...INT64, description: 'Seconds.', example: 3600 })
  expiresIn!: string;

  @Returned({ ...referenceTo(UserResponse), description: 'The account of the token.' })
  user!: UserResponse;
}
