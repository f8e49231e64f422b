import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../access/access.guard.js';
import { type Caller, CurrentUser } from '../access/caller.js';
import type { JsonText } from '../http/json/exact-json.js';
import { Operation } from '../openapi/operation.js';
import { ProfitAndLossResponse } from './profit-and-loss.response.js';
import { PROFIT_AND_LOSS } from './reports.examples.js';
import { ProfitAndLossQuery } from './reports.dto.js';
import { ReportsService } from './reports.service.js';

@Controller('api/reports')
@ApiTags('Reports')
@AllowAccess('authenticated')
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Get('profit-and-loss')
  @Operation({
    id: 'getProfitAndLoss',
    summary: 'What came in, what went out, and what is left',
    description:
      'Exact to the cent. `CANCELLED` transactions are left out; `PENDING`, `OVERDUE` and `DISPUTED` ones count like ' +
      '`PAID` ones; those that are `REFUNDED`, and security deposits, are told apart and are neither income nor ' +
      'expenses. Days, months and years are those of `timeZone`; both `from` and `to` are in the report. An ADMIN gets ' +
      'the report of the own account or, with `propertyId`, of that property. More than 5,000 groups or periods are ' +
      'refused.',
    success: { description: 'The report.', type: ProfitAndLossResponse, example: PROFIT_AND_LOSS },
    problems: ['not-found'],
  })
  async profitAndLoss(@CurrentUser() caller: Caller, @Query() query: ProfitAndLossQuery): Promise<JsonText> {
    return this.reports.profitAndLoss(caller, query);
  }
}
