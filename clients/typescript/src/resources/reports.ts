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

/** What the caller's transactions add up to. */
export class Reports {
  constructor(private readonly api: Client<paths, 'application/json'>) {}

  /** What came in, what went out, and what is left. */
  profitAndLoss(
    { groupBy = [], ...others }: ProfitAndLossQuery = {},
    { signal }: CallOptions = {},
  ): Promise<ProfitAndLossResponse> {
    const query = { ...others, ...(groupBy.length === 0 ? {} : { groupBy: groupBy.join() }) };
    return unwrap(this.api.GET('/api/reports/profit-and-loss', { params: { query }, signal }));
  }

  /** A year on the lines of a tax form, which is no tax advice. */
  taxYear(query: TaxYearQuery, { signal }: CallOptions = {}): Promise<TaxYearResponse> {
    return unwrap(this.api.GET('/api/reports/tax-year', { params: { query }, signal }));
  }

  /** What is overdue, what is due, and what will be. */
  cashFlow(query: CashFlowQuery = {}, { signal }: CallOptions = {}): Promise<CashFlowResponse> {
    return unwrap(this.api.GET('/api/reports/cash-flow', { params: { query }, signal }));
  }
}
