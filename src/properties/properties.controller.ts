import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AllowAccess } from '../access/access.guard.js';
import { type Caller, CurrentCaller } from '../access/caller.js';
import type { JsonText } from '../http/exact-json.js';
import { Int64Pipe } from '../http/params.js';
import type { Precondition, Representation } from '../http/representation.js';
import { PropertyListQuery, PropertyRequest } from './properties.dto.js';
import { PropertiesService } from './properties.service.js';

@Controller('api/properties')
@AllowAccess('authenticated')
export class PropertiesController {
  constructor(private readonly properties: PropertiesService) {}

  @Get()
  async list(@CurrentCaller() caller: Caller, @Query() query: PropertyListQuery): Promise<JsonText> {
    return this.properties.list(caller, query);
  }

  @Post()
  @HttpCode(200)
  async create(@CurrentCaller() caller: Caller, @Body() request: PropertyRequest): Promise<Representation> {
    return this.properties.create(caller, request);
  }

  @Get(':id')
  async get(@CurrentCaller() caller: Caller, @Param('id', Int64Pipe) id: string): Promise<Representation> {
    return this.properties.get(caller, id);
  }

  @Put(':id')
  async update(
    @CurrentCaller() caller: Caller,
    @Param('id', Int64Pipe) id: string,
    @Body() request: PropertyRequest,
    @Headers('if-match') precondition: Precondition,
  ): Promise<Representation> {
    return this.properties.update(caller, id, request, precondition);
  }

  @Delete(':id')
  @HttpCode(200)
  async delete(
    @CurrentCaller() caller: Caller,
    @Param('id', Int64Pipe) id: string,
    @Headers('if-match') precondition: Precondition,
  ): Promise<void> {
    await this.properties.delete(caller, id, precondition);
  }
}
