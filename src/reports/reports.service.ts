import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import type { Caller } from '../access/caller.js';
import { Database, type Statement } from '../database/database.js';
import { JsonText } from '../http/json/exact-json.js';
import { notFound, validationFailed } from '../http/problem/problem.js';
import { PropertiesService } from '../properties/properties.service.js';
import { MOST_GROUPS } from './entries.js';
import { profitAndLoss, type ProfitAndLossRow } from './profit-and-loss.queries.js';
import type { ProfitAndLossQuery, ReportQuery } from './reports.dto.js';

/** A report is of one owner: of the caller or, when an ADMIN names a property, of the property's. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly database: Database,
    private readonly properties: PropertiesService,
  ) {}

  /** Throws validation-failed for a period that ends before it begins or too many groups, not-found for the property. */
  async profitAndLoss(caller: Caller, query: ProfitAndLossQuery): Promise<JsonText> {
    const { basis, timeZone, from, to, propertyId, groupBy } = query;
    if (from !== null && to !== null && from > to) throw validationFailed({ to: 'must not be before from' });
    const { statement, values } = profitAndLoss(await this.ownerOf(caller, query), query);
    const row = await this.read<ProfitAndLossRow>(statement, values);
    if (!row.known) throw notFound('property');
    if (row.groups === null) throw tooMany('groupBy', `${MOST_GROUPS} groups or periods`);
    const asked = JSON.stringify({ basis, timeZone, from, to }).slice(0, -1);
    return new JsonText(
      `${asked},"propertyId":${propertyId ?? 'null'},"groupBy":${JSON.stringify(groupBy)},` +
        `"total":${row.total},"groups":[${row.groups}]}`,
    );
  }

  /** Throws not-found. */
  private async ownerOf(caller: Caller, { propertyId }: ReportQuery): Promise<string> {
    return caller.role === 'ADMIN' && propertyId !== null ? this.properties.ownerOf(propertyId) : caller.id;
  }

  /** The one way of every report to the database; each statement gives one row. */
  private async read<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row> {
    const [row] = await this.database.read<Row>(statement, values);
    if (row === undefined) throw new Error('a report is a row, whatever is in it');
    return row;
  }
}

function tooMany(field: string, most: string): Error {
  return validationFailed({
    [field]: `gives more than ${most}: ask for a shorter period, one property, or coarser groups`,
  });
}
