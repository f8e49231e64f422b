import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../common/access/access.guard.js';
import { type Caller, CurrentUser } from '../common/access/caller.js';
import type { JsonText } from '../common/json/exact-json.js';
import { changesFacts, ChangesQuery } from '../common/paging/changes.js';
import type { Versions } from '../database/owned.repository.js';
import type { IdempotentRequest } from '../database/idempotency-keys.js';
import { IdempotencyKey } from '../http/idempotency-key.js';
import { IfMatch, Representation } from '../http/representation.js';
import { Operation } from '../openapi/operation.js';
import { PropertyListQuery, PropertyRequest } from './dto/property.request.js';
import { PropertiesService } from './properties.service.js';
import { PropertyChanges, PropertyPage, PropertyResponse } from './dto/property.response.js';

const PATH = 'api/properties';
const BY_ID = { id: '$response.body#/id' };

@Controller(PATH)
@ApiTags('Properties')
@AllowAccess('authenticated')
export class PropertiesController {
  constructor(private readonly properties: PropertiesService) {}

  @Get()
  @Operation({
    summary: 'List properties',
    description:
      'An ADMIN sees every account’s. Unknown parameters are ignored: `?active=true` does not filter.',
    success: { description: 'A page; past the end an empty one.', type: PropertyPage, headers: ['Link'] },
  })
  async listProperties(@CurrentUser() caller: Caller, @Query() query: PropertyListQuery) {
    return new Representation(await this.properties.list(caller, query));
  }

  @Post()
  @Operation({
    summary: 'Create a property',
    description:
      'The caller becomes its owner. Sent twice, it creates two properties, unless both carry the same `Idempotency-Key`.',
    success: {
      description: 'The new property.',
      type: PropertyResponse,
      headers: ['ETag', 'Location', 'Idempotent-Replayed'],
      links: {
        getProperty: BY_ID,
        updateProperty: BY_ID,
        deleteProperty: BY_ID,
        listPropertyTransactions: { propertyId: BY_ID.id },
      },
    },
  })
  async createProperty(
    @CurrentUser() caller: Caller,
    @Body() request: PropertyRequest,
    @IdempotencyKey() once?: IdempotentRequest,
  ): Promise<Representation> {
    return Representation.created(await this.properties.create(caller, request, once), PATH);
  }

  @Get('changes')
  @Operation(changesFacts('properties', PropertyChanges))
  async listPropertyChanges(@CurrentUser() caller: Caller, @Query() query: ChangesQuery): Promise<JsonText> {
    return this.properties.changes(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Read a property',
    description: 'Send its `ETag` as `If-Match` with a later PUT or DELETE.',
    success: { description: 'The property.', type: PropertyResponse, headers: ['ETag'] },
  })
  async getProperty(@CurrentUser() caller: Caller, @Param('id') id: string): Promise<Representation> {
    return new Representation(await this.properties.get(caller, id));
  }

  @Put(':id')
  @Operation({
    summary: 'Update a property',
    description: 'Replaces every field: an optional one that is left out becomes null.',
    success: { description: 'The property as it is now.', type: PropertyResponse, headers: ['ETag'] },
    ifMatch: '"1"',
  })
  async updateProperty(
    @CurrentUser() caller: Caller,
    @Param('id') id: string,
    @Body() request: PropertyRequest,
    @IfMatch() expected: Versions,
  ): Promise<Representation> {
    return new Representation(await this.properties.update(caller, id, request, expected));
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete a property',
    description: 'Refused while transactions refer to it.',
    success: { description: 'The property is gone.' },
    ifMatch: '"1"', // after the PUT an old one: the examples of transactions need the property
    problems: ['resource-in-use'],
  })
  async deleteProperty(
    @CurrentUser() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Versions,
  ): Promise<void> {
    await this.properties.delete(caller, id, expected);
  }
}
