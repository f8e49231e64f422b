import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { Authentication } from './authentication.js';
import { JwtStrategy } from './jwt.strategy.js';
import { PASSWORD_METRICS, Passwords } from './passwords.js';
import { Tokens } from './tokens.js';

@Module({
  imports: [KeysModule, UsersModule],
  controllers: [AuthController],
  providers: [AuthService, Authentication, JwtStrategy, Passwords, Tokens, ...PASSWORD_METRICS],
  exports: [AuthService, Authentication, Tokens],
})
export class AuthModule {}
