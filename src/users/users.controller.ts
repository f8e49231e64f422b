import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../common/access/access.guard.js';
import { type UserAccount, type Caller, CurrentUser } from '../common/access/caller.js';
import { JsonParts, type JsonText } from '../common/json/exact-json.js';
import { Representation } from '../http/representation.js';
import { Operation } from '../openapi/operation.js';
import { userJson, UserResponse } from './dto/user.response.js';
import { UsersRepository } from './users.repository.js';

@Controller('api/users')
@ApiTags('Users')
@AllowAccess('admin')
export class UsersController {
  constructor(private readonly users: UsersRepository) {}

  @Get()
  @Operation({
    summary: 'List accounts',
    description: 'Ordered by id, not paged. ADMIN only.',
    success: { description: 'Every account.', type: [UserResponse] },
  })
  async listUsers(@CurrentUser() caller: Caller): Promise<Representation> {
    return new Representation({ json: await JsonParts.of(this.users.list(caller)) });
  }

  @Get('me')
  @Operation({
    summary: 'Your own account',
    description: 'As it is now: a changed role shows at once.',
    success: { description: 'The account of the token.', type: UserResponse },
  })
  @AllowAccess('authenticated')
  getCurrentUser(@CurrentUser() caller: UserAccount): JsonText {
    return userJson(caller);
  }

  @Get(':id')
  @Operation({
    summary: 'Read an account',
    description: 'ADMIN only.',
    success: { description: 'The account.', type: UserResponse },
  })
  async getUser(@CurrentUser() caller: Caller, @Param('id') id: string): Promise<JsonText> {
    return this.users.get(caller, id);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete an account',
    description: 'ADMIN only. Its tokens stop working at once. Refused while the account has properties.',
    success: { description: 'The account is gone.' },
    problems: ['resource-in-use'],
  })
  async deleteUser(@CurrentUser() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.users.delete(caller, id);
  }
}
