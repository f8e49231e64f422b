import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess, OnlyReads } from '../common/access/access.guard.js';
import { type Caller, CurrentUser } from '../common/access/caller.js';
import { TakesFile } from '../http/bodies.js';
import { FILE_TYPES, type FileType, type UploadedFile } from '../http/uploaded-file.js';
import type { IdempotentRequest } from '../database/idempotency-keys.js';
import { NoParameters } from '../common/validation/fields.js';
import { IdempotencyKey } from '../http/idempotency-key.js';
import { Accepted } from '../http/negotiation.js';
import { Representation } from '../http/representation.js';
import { Operation, type Success } from '../openapi/operation.js';
import { SEARCH_EXAMPLE, TransactionSearchRequest } from '../transactions/dto/transaction.request.js';
import { TransactionsService } from '../transactions/transactions.service.js';
import { ExportService } from './export.service.js';
import { ImportService } from './import.service.js';
import { ImportResponse, TransactionBatchResponse } from './dto/imports.response.js';
import {
  ImportQuery,
  PropertyExportQuery,
  TransactionDownloadQuery,
  TransactionExportQuery,
  TransactionBatchRequest,
} from './dto/transfers.request.js';

const EXPORTED: Success = {
  description:
    'The file. CSV has a header, and an apostrophe before texts that a spreadsheet would run as formulas.',
  mediaTypes: FILE_TYPES,
  headers: ['Content-Disposition', 'Changes-Cursor'],
};

const IMPORTED = {
  'text/csv':
    'date,propertyId,type,category,amount,description,paymentReference,status,paidAt,tags\r\n' +
    '2026-03-14T15:00:00Z,1,INCOME,BOOKING_PAYMENT,436.50,"Three nights, March",TRF-88121,PAID,2026-03-16,"[""spring""]"\r\n' +
    '2026-03-15T09:30:00Z,1,EXPENSE,CLEANING,60,Cleaning,INV-1204,PAID,2026-03-15,\r\n',
  'application/x-ndjson':
    '{"propertyId":1,"type":"INCOME","category":"BOOKING_PAYMENT","description":"Three nights in March",' +
    '"amount":436.5,"date":"2026-03-14T15:00:00Z"}\n',
};

@Controller('api')
@AllowAccess('authenticated')
export class TransfersController {
  constructor(
    private readonly exports: ExportService,
    private readonly imports: ImportService,
    private readonly transactions: TransactionsService,
  ) {}

  @Post('transactions/export')
  @OnlyReads()
  @ApiTags('Transfers')
  @Operation({
    body: SEARCH_EXAMPLE,
    summary: 'Export transactions',
    description:
      'Takes the body of a search, ignores its `page` and `size`, and returns every field of each transaction. CSV unless ' +
      '`Accept` prefers `application/x-ndjson`. The file is a snapshot. A file that ends properly is complete: a failure ' +
      'midway breaks the connection. An ADMIN exports the transactions of every account.',
    success: EXPORTED,
    problems: ['not-acceptable'],
  })
  async exportTransactions(
    @CurrentUser() caller: Caller,
    @Accepted(FILE_TYPES) type: FileType,
    @Query() query: TransactionExportQuery,
    @Body() request: TransactionSearchRequest,
  ): Promise<Representation> {
    const found = await this.transactions.matching(caller, request);
    return this.exports.begin(caller, found, type, query);
  }

  @Get('transactions/export')
  @ApiTags('Transfers')
  @Operation({
    summary: 'Export transactions by URL',
    description:
      'The same file, with the fields of a search as parameters: for spreadsheets, and scripts that send no body.',
    success: EXPORTED,
    problems: ['not-acceptable'],
  })
  async downloadTransactions(
    @CurrentUser() caller: Caller,
    @Accepted(FILE_TYPES) type: FileType,
    @Query() query: TransactionDownloadQuery,
  ): Promise<Representation> {
    const found = await this.transactions.matching(caller, query);
    return this.exports.begin(caller, found, type, query);
  }

  @Get('properties/export')
  @ApiTags('Transfers')
  @Operation({
    summary: 'Export properties',
    description:
      'Every field of each. CSV unless `Accept` prefers `application/x-ndjson`. The file is a snapshot. A file that ' +
      'ends properly is complete: a failure midway breaks the connection. An ADMIN exports the properties of every account.',
    success: EXPORTED,
    problems: ['not-acceptable'],
  })
  async exportProperties(
    @CurrentUser() caller: Caller,
    @Accepted(FILE_TYPES) type: FileType,
    @Query() query: PropertyExportQuery,
  ): Promise<Representation> {
    return this.exports.beginProperties(caller, type, query);
  }

  @Post('transactions/batch')
  @ApiTags('Transactions')
  @Operation({
    summary: 'Record several transactions',
    description:
      'Records all of them or, if one has a fault, none. Each fault is named by its position, such as `transactions[3].amount`.',
    success: {
      status: 201,
      description: 'The new transactions.',
      type: TransactionBatchResponse,
      headers: ['Idempotent-Replayed'],
    },
  })
  async createTransactionBatch(
    @CurrentUser() caller: Caller,
    @Query() _query: NoParameters,
    @Body() { transactions }: TransactionBatchRequest,
    @IdempotencyKey() once?: IdempotentRequest,
  ): Promise<Representation> {
    return new Representation(await this.imports.batch(caller, transactions, once));
  }

  @Post('transactions/import')
  @ApiTags('Transactions')
  @TakesFile()
  @Operation({
    summary: 'Import transactions',
    description:
      'Takes CSV with the names of the fields in its first line, in any order, or one JSON object a line. An exported file ' +
      'can be imported: fields that only responses have, such as `id`, are ignored, unless it comes back as an update. All ' +
      'rows are stored or, if one has a fault, none; the response then names the lines. Up to 10,000 rows and 10 MiB ' +
      'unless configured otherwise.',
    file: IMPORTED,
    success: {
      description: 'Counts of the rows that were stored, or would have been in a dry run.',
      type: ImportResponse,
      headers: ['Idempotent-Replayed'],
    },
    problems: ['import-refused'],
  })
  async importTransactions(
    @CurrentUser() caller: Caller,
    @Body() file: UploadedFile,
    @Query() query: ImportQuery,
    @IdempotencyKey() once?: IdempotentRequest,
  ): Promise<Representation> {
    return new Representation(await this.imports.import(caller, file, query, once));
  }
}
