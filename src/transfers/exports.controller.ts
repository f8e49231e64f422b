import { Body, Controller, Get, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../access/access.guard.js';
import { type Caller, CurrentUser } from '../access/caller.js';
import { scopeOf } from '../access/owner-scope.js';
import { FILE_TYPES, type FileType } from '../http/edge/file-bodies.js';
import { Accepted } from '../http/edge/negotiation.js';
import { WrittenCsvQuery } from '../http/fields/csv-form.js';
import { Operation, type Success } from '../openapi/operation.js';
import { propertyPage } from '../properties/properties.queries.js';
import { SEARCH_EXAMPLE, TransactionSearchRequest } from '../transactions/transactions.dto.js';
import { TransactionsService } from '../transactions/transactions.service.js';
import { ExportService } from './export.service.js';
import { PROPERTIES, TRANSACTIONS } from './lines.js';
import { PropertyExportQuery } from './transfers.dto.js';

const FILE: Success = {
  description:
    'The file. CSV has a header line, and an apostrophe before texts that a spreadsheet would run as formulas.',
  mediaTypes: FILE_TYPES,
  headers: ['Content-Disposition'],
};

@Controller('api')
@ApiTags('Transfers')
@AllowAccess('authenticated')
export class ExportsController {
  constructor(
    private readonly exports: ExportService,
    private readonly transactions: TransactionsService,
  ) {}

  @Post('transactions/export')
  @Operation({
    id: 'exportTransactions',
    body: SEARCH_EXAMPLE,
    summary: 'Export transactions',
    description:
      'Takes the body of a search, ignores its `page` and `size`, and returns every field of each transaction. CSV unless ' +
      '`Accept` prefers `application/x-ndjson`. The file is a snapshot. A file that ends properly is complete: a failure ' +
      'midway breaks the connection. An ADMIN exports the transactions of every account.',
    success: FILE,
    problems: ['not-acceptable'],
  })
  async exportTransactions(
    @CurrentUser() caller: Caller,
    @Accepted(FILE_TYPES) type: FileType,
    @Query() query: WrittenCsvQuery,
    @Body() request: TransactionSearchRequest,
  ): Promise<StreamableFile> {
    const found = await this.transactions.matching(caller, request);
    return this.exports.begin(caller, TRANSACTIONS, found, type, query);
  }

  @Get('properties/export')
  @Operation({
    id: 'exportProperties',
    summary: 'Export properties',
    description:
      'Every field of each. CSV unless `Accept` prefers `application/x-ndjson`. The file is a snapshot. A file that ' +
      'ends properly is complete: a failure midway breaks the connection. An ADMIN exports the properties of every account.',
    success: FILE,
    problems: ['not-acceptable'],
  })
  async exportProperties(
    @CurrentUser() caller: Caller,
    @Accepted(FILE_TYPES) type: FileType,
    @Query() query: PropertyExportQuery,
  ): Promise<StreamableFile> {
    const list = propertyPage(scopeOf(caller), query.sort);
    return this.exports.begin(caller, PROPERTIES, list, type, query);
  }
}
