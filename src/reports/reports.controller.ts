import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../common/access/access.guard.js';
import { type Caller, CurrentUser } from '../common/access/caller.js';
import { Accepted } from '../http/negotiation.js';
import type { Representation } from '../http/representation.js';
import { CSV } from '../common/validation/csv-form.js';
import type { JsonText } from '../common/json/exact-json.js';
import { Operation } from '../openapi/operation.js';
import { CashFlowQuery, ProfitAndLossQuery, TaxYearQuery } from './dto/reports.request.js';
import { CashFlowResponse, ProfitAndLossResponse, TaxYearResponse } from './dto/reports.response.js';
import { ReportsService } from './reports.service.js';

const CSV_EXAMPLE = [
  'line,month,income,expenses,net,refundedIncome,refundedExpenses,depositsReceived,depositsReturned,depositsHeld',
  '"group","2026-03",436.50,58.00,378.50,0.00,0.00,200.00,0.00,200.00',
  '"total",,436.50,58.00,378.50,0.00,0.00,200.00,0.00,200.00\r\n',
].join('\r\n');

@Controller('api/reports')
@ApiTags('Reports')
@AllowAccess('authenticated')
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Get('profit-and-loss')
  @Operation({
    summary: 'Profit and loss',
    description:
      'Exact to the cent. `CANCELLED` transactions are left out; `PENDING`, `OVERDUE` and `DISPUTED` ones count like ' +
      '`PAID` ones; `REFUNDED` transactions and security deposits are shown separately, and are neither income nor ' +
      'expenses. Days, months and years are those of `timeZone`; `from` and `to` are both included. With ' +
      '`Accept: text/csv` each group is a line; `line` says whether it is a `group`, the `subtotal` of the groups before ' +
      'it, or the `total`. An ADMIN gets the report for their own account or, with `propertyId`, for that property. More ' +
      'than 5,000 groups are refused.',
    success: { description: 'The report.', type: ProfitAndLossResponse, texts: { [CSV]: CSV_EXAMPLE } },
    problems: ['not-found', 'not-acceptable'],
  })
  async getProfitAndLoss(
    @CurrentUser() caller: Caller,
    @Accepted(['application/json', CSV]) mediaType: string,
    @Query() query: ProfitAndLossQuery,
  ): Promise<JsonText | Representation> {
    return this.reports.profitAndLoss(caller, query, mediaType === CSV ? 'csv' : 'json');
  }

  @Get('tax-year')
  @Operation({
    summary: 'Tax year',
    description:
      '**Not tax advice**: a starting point for filling in the form. A table that the operator can change assigns ' +
      'each category to a line of Schedule E; `apart` lists the categories that belong on no line as they are. `CANCELLED` ' +
      'and `REFUNDED` transactions are on no line. An ADMIN gets the report for their own account or, with `propertyId`, ' +
      'for that property. More than 500 properties are refused.',
    success: { description: 'The report.', type: TaxYearResponse },
    problems: ['not-found', 'not-acceptable'],
  })
  async getTaxYear(
    @CurrentUser() caller: Caller,
    @Accepted(['application/json']) _mediaType: string,
    @Query() query: TaxYearQuery,
  ): Promise<JsonText> {
    return this.reports.taxYear(caller, query);
  }

  @Get('cash-flow')
  @Operation({
    summary: 'Cash flow',
    description:
      '`overdue` and `due` cover what is recorded and unpaid. `upcoming` continues recurring transactions by their ' +
      'frequency, counted from the first one; a month without that day has its last day instead. An ADMIN gets the report ' +
      'for their own account or, with `propertyId`, for that property. More than 1,000 days and vendors, or 2,000 ' +
      'occurrences, are refused.',
    success: { description: 'The report.', type: CashFlowResponse },
    problems: ['not-found', 'not-acceptable'],
  })
  async getCashFlow(
    @CurrentUser() caller: Caller,
    @Accepted(['application/json']) _mediaType: string,
    @Query() query: CashFlowQuery,
  ): Promise<JsonText> {
    return this.reports.cashFlow(caller, query);
  }
}
