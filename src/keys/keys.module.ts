import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { KeysController } from './keys.controller.js';
import { KeysRepository } from './keys.repository.js';
import { KeysService } from './keys.service.js';

@Module({
  imports: [UsersModule],
  controllers: [KeysController],
  providers: [KeysService, KeysRepository],
  exports: [KeysService],
})
export class KeysModule {}
