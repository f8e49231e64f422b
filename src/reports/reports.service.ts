import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database, type Statement } from '../database/database.js';
import { JsonText } from '../http/json/exact-json.js';
import { notFound, type ProblemError, validationFailed } from '../http/problem/problem.js';
import { PropertiesService } from '../properties/properties.service.js';
import { cashFlow, type CashFlowRow, MOST_OCCURRENCES, MOST_VENDORS } from './cash-flow.queries.js';
import { MOST_GROUPS } from './entries.js';
import { profitAndLoss, type ProfitAndLossRow } from './profit-and-loss.queries.js';
import type { CashFlowQuery, ProfitAndLossQuery, ReportQuery, TaxYearQuery } from './reports.dto.js';
import { MOST_PROPERTIES, taxYear, type TaxYearRow } from './tax-year.queries.js';
import { TAX_NOTICE } from './tax-year.response.js';

/** Two years later the days still have four digits of a year. */
const LAST_START = '9997-12-31';

/** A report is of one owner: of the caller or, when an ADMIN names a property, of the property's. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly database: Database,
    private readonly properties: PropertiesService,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'scheduleELines'>,
  ) {}

  /** Throws validation-failed for a period that ends before it begins or too many groups, not-found for the property. */
  async profitAndLoss(caller: Caller, query: ProfitAndLossQuery): Promise<JsonText> {
    const { basis, timeZone, from, to, propertyId, groupBy } = query;
    if (from !== null && to !== null && from > to) throw validationFailed({ to: 'must not be before from' });
    const ownerId = await this.ownerOf(caller, query);
    const { statement, values } = profitAndLoss(ownerId, query);
    const row = await this.read<ProfitAndLossRow>(ownerId === caller.id, statement, values);
    if (!row.known) throw notFound('property');
    if (row.groups === null) throw tooMany('groupBy', `${MOST_GROUPS} groups or periods`);
    const asked = JSON.stringify({ basis, timeZone, from, to }).slice(0, -1);
    return new JsonText(
      `${asked},"propertyId":${propertyId ?? 'null'},"groupBy":${JSON.stringify(groupBy)},` +
        `"total":${row.total},"groups":[${row.groups}]}`,
    );
  }

  /** Throws validation-failed for too many properties, not-found for the property. */
  async taxYear(caller: Caller, query: TaxYearQuery): Promise<JsonText> {
    const { form, year, basis, timeZone, propertyId } = query;
    const ownerId = await this.ownerOf(caller, query);
    const { statement, values } = taxYear(ownerId, query, this.settings.scheduleELines);
    const row = await this.read<TaxYearRow>(ownerId === caller.id, statement, values);
    if (!row.known) throw notFound('property');
    if (row.properties === null) throw tooMany('propertyId', `${MOST_PROPERTIES} properties`);
    const asked = JSON.stringify({ form, year, basis, timeZone, notice: TAX_NOTICE }).slice(0, -1);
    return new JsonText(
      `${asked},"propertyId":${propertyId ?? 'null'},"total":${row.total},"properties":[${row.properties}]}`,
    );
  }

  /** Throws validation-failed for a period past the year 9999 or too many rows, not-found for the property. */
  async cashFlow(caller: Caller, query: CashFlowQuery): Promise<JsonText> {
    const { timeZone, months, propertyId } = query;
    if (query.from !== null && query.from > LAST_START)
      throw validationFailed({ from: `must not be after ${LAST_START}` });
    const ownerId = await this.ownerOf(caller, query);
    const { statement, values } = cashFlow(ownerId, query);
    const isOwn = ownerId === caller.id;
    const { known, from, to, ...parts } = await this.read<CashFlowRow>(isOwn, statement, values);
    if (!known) throw notFound('property');
    if (parts.overdue === null || parts.due === null)
      throw tooMany('propertyId', `${MOST_VENDORS} days and vendors`);
    if (parts.upcoming === null) throw tooMany('months', `${MOST_OCCURRENCES} occurrences`);
    const asked = JSON.stringify({ timeZone, from, to, months }).slice(0, -1);
    return new JsonText(
      `${asked},"propertyId":${propertyId ?? 'null'},"overdue":${parts.overdue},"due":${parts.due},` +
        `"upcoming":${parts.upcoming}}`,
    );
  }

  /** Throws not-found. */
  private async ownerOf(caller: Caller, { propertyId }: ReportQuery): Promise<string> {
    return caller.role === 'ADMIN' && propertyId !== null ? this.properties.ownerOf(propertyId) : caller.id;
  }

  /**
   * The one way of every report to the database; each statement gives one row. Of somebody else's account it may lag, but
   * not behind the property, which the primary knows.
   */
  private async read<Row extends { readonly known: boolean }>(
    isOwn: boolean,
    statement: Statement,
    values: unknown[],
  ): Promise<Row> {
    const report = { ...statement, invalidValue: unknownZone };
    const lagging = isOwn ? [] : await this.database.readLagging<Row>(report, values);
    const [row] = lagging[0]?.known === true ? lagging : await this.database.read<Row>(report, values);
    if (row === undefined) throw new Error('a report is a row, whatever is in it');
    return row;
  }
}

/** All else of a report's values is checked to the last bit; of zones PostgreSQL and Node may know different editions. */
function unknownZone(): ProblemError {
  return validationFailed({ timeZone: 'must be a time zone that the database knows as well' });
}

function tooMany(field: string, most: string): ProblemError {
  return validationFailed({
    [field]: `gives more than ${most}: ask for a shorter period, one property, or coarser groups`,
  });
}
