import type { Client } from 'openapi-fetch';
import type { CashFlowResponse, paths, ProfitAndLossResponse, TaxYearResponse } from '../generated/schema.js';
import { unwrap } from '../unwrap.js';
import type { CallOptions } from './resource.js';

type QueryOf<Path extends `/api/reports/${string}` & keyof paths> = NonNullable<
  paths[Path]['get']['parameters']['query']
>;

export type ProfitAndLossQuery = Omit<QueryOf<'/api/reports/profit-and-loss'>, 'groupBy'> & {
  /** One or two levels, the outer one first. */
  readonly groupBy?: ProfitAndLossResponse['groupBy'];
};
export type TaxYearQuery = QueryOf<'/api/reports/tax-year'>;
export type CashFlowQuery = QueryOf<'/api/reports/cash-flow'>;

/** Reports on the caller's transactions. */
export class Reports {
  constructor(private readonly api: Client<paths, 'application/json'>) {}

  /** Income, expenses and the net. */
  profitAndLoss(
    { groupBy = [], ...others }: ProfitAndLossQuery = {},
    { signal }: CallOptions = {},
  ): Promise<ProfitAndLossResponse> {
    const query = { ...others, ...(groupBy.length === 0 ? {} : { groupBy: groupBy.join() }) };
    return unwrap(this.api.GET('/api/reports/profit-and-loss', { params: { query }, signal }));
  }

  /** A year on the lines of a tax form. This is not tax advice. */
  taxYear(query: TaxYearQuery, { signal }: CallOptions = {}): Promise<TaxYearResponse> {
    return unwrap(this.api.GET('/api/reports/tax-year', { params: { query }, signal }));
  }

  /** Overdue, due and upcoming amounts. */
  cashFlow(query: CashFlowQuery = {}, { signal }: CallOptions = {}): Promise<CashFlowResponse> {
    return unwrap(this.api.GET('/api/reports/cash-flow', { params: { query }, signal }));
  }
}
