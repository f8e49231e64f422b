import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { AllowAccess } from '../access/access.guard.js';
import { CurrentCaller, type KnownCaller } from '../access/caller.js';
import type { JsonText } from '../http/exact-json.js';
import { Int64Pipe } from '../http/params.js';
import { UsersService } from './users.service.js';

@Controller('api/users')
@AllowAccess('admin')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  async list(): Promise<JsonText> {
    return this.users.list();
  }

  @Get('me')
  @AllowAccess('authenticated')
  me(@CurrentCaller() caller: KnownCaller): JsonText {
    return caller.profile;
  }

  @Get(':id')
  async get(@Param('id', Int64Pipe) id: string): Promise<JsonText> {
    return this.users.get(id);
  }

  @Delete(':id')
  @HttpCode(200)
  async delete(@Param('id', Int64Pipe) id: string): Promise<void> {
    await this.users.delete(id);
  }
}
