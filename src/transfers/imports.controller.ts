import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../access/access.guard.js';
import { type Caller, CurrentUser } from '../access/caller.js';
import { FileBody, TakesFile, type UploadedFile } from '../http/edge/file-bodies.js';
import { IdempotencyKey, type IdempotentRequest } from '../http/edge/idempotency-key.js';
import { Representation } from '../http/edge/representation.js';
import { Operation } from '../openapi/operation.js';
import { ImportService } from './import.service.js';
import { ImportResponse, TransactionBatchResponse } from './imports.response.js';
import { BatchQuery, ImportQuery, TransactionBatchRequest } from './transfers.dto.js';

const FILES = {
  'text/csv':
    'date,propertyId,type,category,amount,description,paymentReference,status,tags\r\n' +
    '2026-03-14T15:00:00Z,1,INCOME,BOOKING_PAYMENT,436.50,"Three nights, March",TRF-88121,PAID,"[""spring""]"\r\n' +
    '2026-03-15T09:30:00Z,1,EXPENSE,CLEANING,60,Cleaning,INV-1204,PAID,\r\n',
  'application/x-ndjson':
    '{"propertyId":1,"type":"INCOME","category":"BOOKING_PAYMENT","description":"Three nights in March",' +
    '"amount":436.5,"date":"2026-03-14T15:00:00Z"}\n',
};

@Controller('api/transactions')
@ApiTags('Transactions')
@AllowAccess('authenticated')
export class ImportsController {
  constructor(private readonly imports: ImportService) {}

  @Post('batch')
  @Operation({
    id: 'createTransactionBatch',
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
  async batch(
    @CurrentUser() caller: Caller,
    @Query() _query: BatchQuery,
    @Body() { transactions }: TransactionBatchRequest,
    @IdempotencyKey() once?: IdempotentRequest,
  ): Promise<Representation> {
    return new Representation(await this.imports.batch(caller, transactions, once));
  }

  @Post('import')
  @TakesFile()
  @Operation({
    id: 'importTransactions',
    summary: 'Import transactions',
    description:
      'Takes CSV with the names of the fields in its first line, in any order, or one JSON object a line. An exported file ' +
      'can be imported: fields that only responses have, such as `id`, are ignored. All rows are stored or, if one has a ' +
      'fault, none; the response then names the lines. Up to 10,000 rows and 10 MiB unless configured otherwise.',
    file: FILES,
    success: {
      description: 'Counts of the rows that were stored, or would have been in a dry run.',
      type: ImportResponse,
      headers: ['Idempotent-Replayed'],
    },
    problems: ['import-refused'],
  })
  async import(
    @CurrentUser() caller: Caller,
    @FileBody() file: UploadedFile,
    @Query() query: ImportQuery,
    @IdempotencyKey() once?: IdempotentRequest,
  ): Promise<Representation> {
    return new Representation(await this.imports.import(caller, file, query, once));
  }
}
