import { Injectable } from '@nestjs/common';
import { type Caller, scopeOf } from '../common/access/caller.js';
import { Settings } from '../config/env.js';
import { Database } from '../database/database.js';
import { Representation } from '../http/representation.js';
import { unknownZone } from '../common/validation/calendar.js';
import { CSV, csvHead } from '../common/validation/csv-form.js';
import { jsonObject, JsonText } from '../common/json/exact-json.js';
import { type ProblemError, validationFailed } from '../common/problems/problem.js';
import { PropertiesRepository } from '../properties/properties.repository.js';
import { CASH_FLOW, type CashFlowRow, MAX_OCCURRENCES, MAX_VENDORS } from './cash-flow.js';
import { csvColumns, type GroupRow, MAX_GROUPS, nested, profitAndLoss } from './profit-and-loss.js';
import type { CashFlowQuery, ProfitAndLossQuery, ReportQuery, TaxYearQuery } from './dto/reports.request.js';
import { TAX_NOTICE } from './dto/reports.response.js';
import { MAX_PROPERTIES, scheduleELines, taxYear, type TaxYearRow } from './tax-year.js';

/** A report covers one owner: the caller or, when an ADMIN names a property, the owner of that. */
@Injectable()
export class ReportsService {
  private readonly lines = scheduleELines(this.settings.scheduleELines);

  constructor(
    private readonly database: Database,
    private readonly properties: PropertiesRepository,
    private readonly settings: Settings,
  ) {}

  /** Throws validation-failed for too many groups, not-found for the property. */
  async profitAndLoss(caller: Caller, query: ProfitAndLossQuery, form: 'csv' | 'json') {
    const { basis, from, to, groupBy } = query;
    const head = form === 'csv' ? csvHead(csvColumns(groupBy), query) : '';
    const rows = await this.read<GroupRow>(caller, query, profitAndLoss(query, form), from, to);
    if (rows.filter(({ rest }) => rest < groupBy.length).length > MAX_GROUPS)
      throw tooMany('groupBy', `${MAX_GROUPS} groups`, 'a shorter period, one property, or coarser groups');
    if (form === 'json') return reportOf(query, { basis, from, to, groupBy }, nested(rows, groupBy.length));
    const json = new JsonText(head + rows.map(({ line }) => `${line}\r\n`).join(''));
    return new Representation({ json }, { 'content-type': `${CSV}; charset=utf-8` });
  }

  /** Throws validation-failed for too many properties, not-found for the property. */
  async taxYear(caller: Caller, query: TaxYearQuery): Promise<JsonText> {
    const { form, year, basis } = query;
    const digits = String(year).padStart(4, '0');
    const days = [`${digits}-01-01`, `${digits}-12-31`];
    const [row] = await this.read<TaxYearRow>(caller, query, taxYear(basis, this.lines), ...days);
    if (row?.properties == null) throw tooMany('propertyId', `${MAX_PROPERTIES} properties`, 'one property');
    const { total, properties, paidWithoutDate } = row;
    const written = { total, properties, paidWithoutDate: paidWithoutDate ?? 'null' };
    return reportOf(query, { form, year, basis, notice: TAX_NOTICE }, written);
  }

  /** Throws validation-failed for too many rows, not-found for the property. */
  async cashFlow(caller: Caller, query: CashFlowQuery): Promise<JsonText> {
    const [row] = await this.read<CashFlowRow>(caller, query, CASH_FLOW, query.from, query.months);
    const { from, to, overdue = null, due = null, upcoming = null } = row ?? {};
    if (overdue === null || due === null)
      throw tooMany('propertyId', `${MAX_VENDORS} days and vendors`, 'one property');
    if (upcoming === null)
      throw tooMany('months', `${MAX_OCCURRENCES} occurrences`, 'fewer months, or one property');
    return reportOf(query, { from, to, months: query.months }, { overdue, due, upcoming });
  }

  /** The last values are those of the report's own period. */
  private async read<Row extends object>(
    caller: Caller,
    query: ReportQuery,
    text: string,
    ...period: unknown[]
  ) {
    const { propertyId, timeZone } = query;
    const scope = scopeOf(caller);
    const owner = propertyId === null ? undefined : await this.properties.locate(caller, scope, propertyId);
    const values = [owner?.ownerId ?? caller.id, propertyId, timeZone, ...period];
    return this.database.read<Row>(caller, { text, isLong: true, invalidValue: unknownZone }, values);
  }
}

/** A report: the members that all have, its own, and those written by PostgreSQL. */
function reportOf({ timeZone, propertyId }: ReportQuery, own: object, written: Record<string, string>) {
  const texts = Object.entries(written).map(([name, json]) => [name, new JsonText(json)]);
  const head = { timeZone, propertyId: propertyId === null ? null : new JsonText(propertyId) };
  return jsonObject({ ...head, ...own, ...(Object.fromEntries(texts) as Record<string, JsonText>) });
}

function tooMany(field: string, most: string, remedy: string): ProblemError {
  return validationFailed({ [field]: `would give more than ${most}: ask for ${remedy}` });
}
