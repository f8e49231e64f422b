import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AllowAccess } from '../access/access.guard.js';
import { type Caller, CurrentCaller } from '../access/caller.js';
import type { JsonText } from '../http/exact-json.js';
import { Int64Pipe } from '../http/params.js';
import type { Precondition, Representation } from '../http/representation.js';
import { TransactionListQuery, TransactionRequest, TransactionSearchRequest } from './transactions.dto.js';
import { TransactionsService } from './transactions.service.js';

@Controller('api/transactions')
@AllowAccess('authenticated')
export class TransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  @Get()
  async list(@CurrentCaller() caller: Caller, @Query() query: TransactionListQuery): Promise<JsonText> {
    return this.transactions.list(caller, query);
  }

  @Post()
  @HttpCode(200)
  async create(
    @CurrentCaller() caller: Caller,
    @Body() request: TransactionRequest,
  ): Promise<Representation> {
    return this.transactions.create(caller, request);
  }

  @Post('search')
  @HttpCode(200)
  async search(
    @CurrentCaller() caller: Caller,
    @Body() request: TransactionSearchRequest,
  ): Promise<JsonText> {
    return this.transactions.search(caller, request);
  }

  @Get('property/:propertyId')
  async listOfProperty(
    @CurrentCaller() caller: Caller,
    @Param('propertyId', Int64Pipe) propertyId: string,
    @Query() query: TransactionListQuery,
  ): Promise<JsonText> {
    return this.transactions.listOfProperty(caller, propertyId, query);
  }

  @Get(':id')
  async get(@CurrentCaller() caller: Caller, @Param('id', Int64Pipe) id: string): Promise<Representation> {
    return this.transactions.get(caller, id);
  }

  @Put(':id')
  async update(
    @CurrentCaller() caller: Caller,
    @Param('id', Int64Pipe) id: string,
    @Body() request: TransactionRequest,
    @Headers('if-match') precondition: Precondition,
  ): Promise<Representation> {
    return this.transactions.update(caller, id, request, precondition);
  }

  @Delete(':id')
  @HttpCode(200)
  async delete(
    @CurrentCaller() caller: Caller,
    @Param('id', Int64Pipe) id: string,
    @Headers('if-match') precondition: Precondition,
  ): Promise<void> {
    await this.transactions.delete(caller, id, precondition);
  }
}
