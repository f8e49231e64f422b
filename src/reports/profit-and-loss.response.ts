import { ApiExtraModels } from '@nestjs/swagger';
import { Returned, ReturnedFrom } from '../http/fields/fields.js';
import { INT64, referenceTo, referencesTo, SUM, TEXT } from '../http/fields/schema.js';
import { CATEGORY } from '../transactions/transactions.dto.js';
import { type Level, LEVELS, ProfitAndLossQuery, ReportQuery } from './reports.dto.js';

const WITHOUT = 'Without refunded amounts and security deposits.';
const HELD = '`depositsReceived` less `depositsReturned`: a liability, not income.';

/** All of them exact, however many digits they have. */
export class ProfitAndLossFigures {
  @Returned({ ...SUM, description: WITHOUT, example: 1319.5 }) income!: string;
  @Returned({ ...SUM, description: WITHOUT, example: 166.25 }) expenses!: string;
  @Returned({ ...SUM, description: '`income` less `expenses`.', example: 1153.25 }) net!: string;

  @Returned({ ...SUM, description: 'Income with the status `REFUNDED`: it went back.', example: 0 })
  refundedIncome!: string;

  @Returned({ ...SUM, description: 'Expenses with the status `REFUNDED`: they came back.', example: 0 })
  refundedExpenses!: string;

  @Returned({ ...SUM, description: 'Security deposits that came in.', example: 500 })
  depositsReceived!: string;

  @Returned({ ...SUM, description: 'Security deposits that went out, or are `REFUNDED`.', example: 300 })
  depositsReturned!: string;

  @Returned({ ...SUM, description: HELD, example: 200 }) depositsHeld!: string;
}

/** The figures of a group; names and keys of other levels than its own are null. */
export class ProfitAndLossPart extends ProfitAndLossFigures {
  @Returned({ ...INT64, nullable: true, example: 1 }) propertyId!: string | null;

  @Returned({ ...TEXT, nullable: true, description: 'Its current name.', example: 'Harbour Loft' })
  propertyName!: string | null;

  @Returned({ ...CATEGORY.schema, nullable: true }) category!: string | null;
  @Returned({ ...TEXT, nullable: true, description: '`2026-03`, `2026-Q1` or `2026`.' }) period!:
    string | null;
}

@ApiExtraModels(ProfitAndLossPart)
export class ProfitAndLossGroup extends ProfitAndLossPart {
  @Returned({
    ...referencesTo(ProfitAndLossPart),
    description: 'By the second level; empty when there is none.',
    example: [],
  })
  groups!: unknown[];
}

@ApiExtraModels(ProfitAndLossFigures, ProfitAndLossGroup)
export class ProfitAndLossResponse {
  @ReturnedFrom(ProfitAndLossQuery) basis!: string;
  @ReturnedFrom(ReportQuery) timeZone!: string;
  @ReturnedFrom(ProfitAndLossQuery) from!: string | null;
  @ReturnedFrom(ProfitAndLossQuery) to!: string | null;

  @Returned({ ...INT64, nullable: true, description: 'The property that was asked for, if any.' })
  propertyId!: string | null;

  @Returned({ type: 'array', items: { type: 'string', enum: [...LEVELS] }, example: ['property'] })
  groupBy!: readonly Level[];

  @Returned({ ...referenceTo(ProfitAndLossFigures), description: 'Everything in the report.' })
  total!: ProfitAndLossFigures;

  @Returned({
    ...referencesTo(ProfitAndLossGroup),
    description:
      'By the first level: properties by their id, categories by their name, periods in their order. Empty without ' +
      '`groupBy`. A group in which there is no transaction is left out.',
  })
  groups!: unknown[];
}
