import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess, OnlyReads } from '../common/access/access.guard.js';
import { type Caller, CurrentUser } from '../common/access/caller.js';
import type { JsonText } from '../common/json/exact-json.js';
import { changesFacts, ChangesQuery } from '../common/paging/changes.js';
import { CursorQuery } from '../common/paging/page.js';
import type { Versions } from '../database/owned.repository.js';
import type { IdempotentRequest } from '../database/idempotency-keys.js';
import { IdempotencyKey } from '../http/idempotency-key.js';
import { IfMatch, Representation } from '../http/representation.js';
import { Operation, type Success } from '../openapi/operation.js';
import { TransactionChanges, TransactionPage, TransactionResponse } from './dto/transaction.response.js';
import {
  SEARCH_EXAMPLE,
  TransactionListQuery,
  TransactionRequest,
  TransactionSearchRequest,
} from './dto/transaction.request.js';
import { TransactionsService } from './transactions.service.js';

const PATH = 'api/transactions';
const BY_ID = { id: '$response.body#/id' };
const PAGE: Success = {
  description: 'A page; past the end an empty one.',
  type: TransactionPage,
  headers: ['Link'],
};

@Controller(PATH)
@ApiTags('Transactions')
@AllowAccess('authenticated')
export class TransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  @Get()
  @Operation({
    summary: 'List transactions',
    description:
      'The latest first, unless `sort` says otherwise. An ADMIN sees those of every account. Unknown parameters are ' +
      'ignored: `?type=INCOME` does not filter, the search does.',
    success: PAGE,
  })
  async listTransactions(@CurrentUser() caller: Caller, @Query() query: TransactionListQuery) {
    return new Representation(await this.transactions.list(caller, query));
  }

  @Post()
  @Operation({
    summary: 'Record a transaction',
    description: 'Sent twice, it records two transactions, unless both carry the same `Idempotency-Key`.',
    success: {
      description: 'The new transaction.',
      type: TransactionResponse,
      headers: ['ETag', 'Location', 'Idempotent-Replayed'],
      links: { getTransaction: BY_ID, updateTransaction: BY_ID, deleteTransaction: BY_ID },
    },
  })
  async createTransaction(
    @CurrentUser() caller: Caller,
    @Body() request: TransactionRequest,
    @IdempotencyKey() once?: IdempotentRequest,
  ): Promise<Representation> {
    return Representation.created(await this.transactions.create(caller, request, once), PATH);
  }

  @Post('search')
  @OnlyReads()
  @Operation({
    body: SEARCH_EXAMPLE,
    summary: 'Search transactions',
    description:
      'Every filter that is given narrows the result; bounds are inclusive. Unknown fields are ignored, so a misspelt ' +
      'filter filters nothing. An ADMIN searches those of every account. ' +
      'For the next page, send the same body without `page` to the target of `Link`.',
    success: PAGE,
  })
  async searchTransactions(
    @CurrentUser() caller: Caller,
    @Body() request: TransactionSearchRequest,
    @Query() { cursor }: CursorQuery,
  ): Promise<Representation> {
    return new Representation(await this.transactions.search(caller, request, cursor));
  }

  @Get('property/:propertyId')
  @Operation({
    summary: 'List a property’s transactions',
    description:
      'The latest first, unless `sort` says otherwise. Unknown parameters are ignored: `?type=INCOME` does not filter, ' +
      'the search does.',
    success: PAGE,
  })
  async listPropertyTransactions(
    @CurrentUser() caller: Caller,
    @Param('propertyId') propertyId: string,
    @Query() query: TransactionListQuery,
  ): Promise<Representation> {
    return new Representation(await this.transactions.listOfProperty(caller, propertyId, query));
  }

  @Get('changes')
  @Operation(changesFacts('transactions', TransactionChanges))
  async listTransactionChanges(
    @CurrentUser() caller: Caller,
    @Query() query: ChangesQuery,
  ): Promise<JsonText> {
    return this.transactions.changes(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Read a transaction',
    description: 'With every field; lists and searches return summaries.',
    success: { description: 'The transaction.', type: TransactionResponse, headers: ['ETag'] },
  })
  async getTransaction(@CurrentUser() caller: Caller, @Param('id') id: string): Promise<Representation> {
    return new Representation(await this.transactions.get(caller, id));
  }

  @Put(':id')
  @Operation({
    summary: 'Update a transaction',
    description:
      'Replaces every field: an optional one that is left out takes its default again. With another `propertyId` the transaction moves there.',
    success: { description: 'The transaction as it is now.', type: TransactionResponse, headers: ['ETag'] },
    ifMatch: '"1"',
  })
  async updateTransaction(
    @CurrentUser() caller: Caller,
    @Param('id') id: string,
    @Body() request: TransactionRequest,
    @IfMatch() expected: Versions,
  ): Promise<Representation> {
    return new Representation(await this.transactions.update(caller, id, request, expected));
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete a transaction',
    description: 'Permanently. To keep it in the books, set its status to CANCELLED instead.',
    success: { description: 'The transaction is gone.' },
    ifMatch: '"2"',
  })
  async deleteTransaction(
    @CurrentUser() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Versions,
  ): Promise<void> {
    await this.transactions.delete(caller, id, expected);
  }
}
