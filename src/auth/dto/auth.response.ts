import { responseOf } from '../../common/validation/fields.js';
import { INT64, TEXT } from '../../common/validation/schema.js';
import { UserResponse } from '../../users/dto/user.response.js';

export class AuthResponse extends responseOf({
  accessToken: {
    ...TEXT,
    description: 'A JSON Web Token, for the header `Authorization: Bearer …`.',
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  },
  tokenType: { ...TEXT, enum: ['Bearer'], example: 'Bearer' },
  expiresIn: { ...INT64, description: 'Seconds.', example: 3600 },
  user: { type: UserResponse, description: 'The account of the token.' },
}) {}
