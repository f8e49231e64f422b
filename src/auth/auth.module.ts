import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { BearerAuthenticator } from './bearer-authenticator.js';
import { Passwords } from './passwords.js';
import { Tokens } from './tokens.js';

@Module({
  imports: [UsersModule],
  controllers: [AuthController],
  providers: [AuthService, BearerAuthenticator, Passwords, Tokens],
  exports: [AuthService, BearerAuthenticator, Passwords, Tokens],
})
export class AuthModule {}
