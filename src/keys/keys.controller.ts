import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess, RefusesKeys } from '../common/access/access.guard.js';
import { type Caller, CurrentUser } from '../common/access/caller.js';
import type { JsonText } from '../common/json/exact-json.js';
import { NoParameters } from '../common/validation/fields.js';
import { Operation } from '../openapi/operation.js';
import { KeyRequest } from './dto/key.request.js';
import { KeyResponse, CreatedKeyResponse } from './dto/key.response.js';
import { KeysRepository } from './keys.repository.js';
import { KeysService } from './keys.service.js';

@Controller('api/keys')
@ApiTags('API keys')
@AllowAccess('authenticated')
export class KeysController {
  constructor(
    private readonly service: KeysService,
    private readonly keys: KeysRepository,
  ) {}

  @Post()
  @RefusesKeys()
  @Operation({
    summary: 'Create an API key',
    description:
      'For a program, in place of a password. The key is shown this once. An account has at most 20; they need a token, ' +
      'and no key creates, shows or deletes keys.',
    success: { status: 201, description: 'The key, and what is kept of it.', type: CreatedKeyResponse },
    problems: ['resource-in-use'],
  })
  async createKey(
    @CurrentUser() caller: Caller,
    @Query() _query: NoParameters,
    @Body() request: KeyRequest,
  ): Promise<JsonText> {
    return this.service.create(caller, request);
  }

  @Get()
  @RefusesKeys()
  @Operation({
    summary: 'List your API keys',
    description: 'Ordered by id, not paged.',
    success: { description: 'Every key of the caller, without its text.', type: [KeyResponse] },
    problems: ['access-denied', 'validation-failed'],
  })
  async listKeys(@Query() _query: NoParameters, @CurrentUser() caller: Caller): Promise<JsonText> {
    return this.keys.list(caller);
  }

  @Delete(':id')
  @RefusesKeys()
  @Operation({
    summary: 'Revoke an API key',
    description: 'The next request with it is refused.',
    success: { description: 'The key is gone.' },
  })
  async deleteKey(
    @CurrentUser() caller: Caller,
    @Query() _query: NoParameters,
    @Param('id') id: string,
  ): Promise<void> {
    await this.keys.delete(caller, id);
  }
}
