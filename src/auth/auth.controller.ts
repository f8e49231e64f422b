import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../common/access/access.guard.js';
import type { JsonText } from '../common/json/exact-json.js';
import { Representation } from '../http/representation.js';
import { Operation } from '../openapi/operation.js';
import { userJson, UserResponse } from '../users/dto/user.response.js';
import { SignInRequest, SignUpRequest } from './dto/auth.request.js';
import { AuthResponse } from './dto/auth.response.js';
import { AuthService } from './auth.service.js';

@Controller('api/auth')
@ApiTags('Authentication')
@AllowAccess('public')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('signup')
  @Operation({
    summary: 'Sign up',
    description: 'The account gets the role USER; no request can choose another.',
    success: { description: 'The new account.', status: 201, type: UserResponse, headers: ['Location'] },
    problems: ['access-denied', 'duplicate-email', 'duplicate-username', 'concurrent-modification'],
  })
  async signUp(@Body() request: SignUpRequest): Promise<Representation> {
    const user = await this.auth.register(request);
    return Representation.created({ id: user.id, json: userJson(user) }, 'api/users');
  }

  @Post('signin')
  @Operation({
    summary: 'Sign in',
    description: 'An unknown name and a wrong password get the same response, after the same time.',
    success: { description: 'An access token and the account that it belongs to.', type: AuthResponse },
    problems: ['bad-credentials'],
  })
  async signIn(@Body() request: SignInRequest): Promise<JsonText> {
    return this.auth.signIn(request);
  }
}
