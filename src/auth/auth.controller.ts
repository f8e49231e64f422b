import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AllowAccess } from '../access/access.guard.js';
import type { JsonText } from '../http/exact-json.js';
import { Representation } from '../http/representation.js';
import { SignInRequest, SignUpRequest } from './auth.dto.js';
import { AuthService } from './auth.service.js';

@Controller('api/auth')
@AllowAccess('public')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('signup')
  async signUp(@Body() request: SignUpRequest): Promise<Representation> {
    const user = await this.auth.register(request);
    return new Representation(user.json, { location: `/api/users/${user.id}` });
  }

  @Post('signin')
  @HttpCode(200)
  async signIn(@Body() request: SignInRequest): Promise<JsonText> {
    return this.auth.signIn(request);
  }
}
