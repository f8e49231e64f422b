/** The exports of the package. */
export { type ClientOptions, createClient, type PropertyFinanceClient } from './client.js';
export { isProblem, NoResponseError, ProblemError, UnexpectedResponseError } from './errors.js';
export type { Decimal, DecimalInput, Int64, Int64Input } from './exact-types.js';
export type { ExportOptions } from './files.js';
export type * from './generated/schema.js';
export type { Problem, ProblemOf, ProblemSlug, UnknownProblem } from './problem.js';
export type { ListOptions } from './pages.js';
export type { Properties } from './resources/properties.js';
export type { CashFlowQuery, ProfitAndLossQuery, Reports, TaxYearQuery } from './resources/reports.js';
export type {
  CallOptions,
  CreateOptions,
  UpdateOptions,
  Versioned,
  WriteOptions,
} from './resources/resource.js';
export type { ImportFile, ImportOptions, Transactions, TransactionSearch } from './resources/transactions.js';
export type { Credentials, TokenProvider } from './session.js';
export type { RetryOptions } from './transport/retries.js';
export { unwrap } from './unwrap.js';
