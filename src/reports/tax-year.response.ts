import { ApiExtraModels } from '@nestjs/swagger';
import { Returned, ReturnedFrom } from '../http/fields/fields.js';
import { INT32, INT64, referenceTo, referencesTo, SUM, TEXT } from '../http/fields/schema.js';
import { CATEGORY } from '../transactions/transactions.dto.js';
import { ReportQuery, TaxYearQuery } from './reports.dto.js';

export const TAX_NOTICE =
  'This is not tax advice. It adds up recorded transactions by a table of categories: check both before you file a return.';

const AMOUNT = 'The sum of its categories: rents less what was paid back, expenses less what came back.';
const IN = 'Of security deposits: what came in.';
const OUT = 'Of security deposits: what went out.';

export class TaxLine {
  @Returned({ ...INT32, description: 'Its number on the form.', example: 7 }) line!: number;
  @Returned({ ...TEXT, example: 'Cleaning and maintenance' }) label!: string;
  @Returned({ ...SUM, description: AMOUNT, example: 58 }) amount!: string;

  @Returned({
    type: 'array',
    items: { type: 'string' },
    description: 'What is assigned to it.',
    example: ['CLEANING'],
  })
  categories!: string[];
}

/** A category that belongs on no line as it is. */
export class TaxApart {
  @Returned({ ...CATEGORY.schema, example: 'MORTGAGE' }) category!: string;
  @Returned({ ...SUM, description: IN, example: 0 }) income!: string;
  @Returned({ ...SUM, description: OUT, example: 640.25 }) expenses!: string;
  @Returned({ ...TEXT, nullable: true, description: 'Why, where that is known.' }) note!: string | null;
}

@ApiExtraModels(TaxLine, TaxApart)
export class TaxSheet {
  @Returned({ ...referencesTo(TaxLine), description: 'All lines, in their order.' }) lines!: unknown[];

  @Returned({ ...SUM, description: 'The sum of lines 5 to 19: line 20.', example: 58 })
  totalExpenses!: string;

  @Returned({ ...SUM, description: 'Line 3 less line 20: line 21.', example: -58 }) net!: string;
  @Returned({ ...referencesTo(TaxApart), description: 'What belongs on no line.' }) apart!: unknown[];
}

export class TaxSheetOfProperty extends TaxSheet {
  @Returned({ ...INT64, example: 1 }) propertyId!: string;
  @Returned({ ...TEXT, description: 'Its current name.', example: 'Harbour Loft' }) propertyName!: string;
}

@ApiExtraModels(TaxSheet, TaxSheetOfProperty)
export class TaxYearResponse {
  @ReturnedFrom(TaxYearQuery) form!: string;
  @ReturnedFrom(TaxYearQuery) year!: number;
  @ReturnedFrom(TaxYearQuery) basis!: string;
  @ReturnedFrom(ReportQuery) timeZone!: string;

  @Returned({ ...INT64, nullable: true, description: 'The property that was asked for, if any.' })
  propertyId!: string | null;

  @Returned({ ...TEXT, description: 'What this report is not.', example: TAX_NOTICE }) notice!: string;
  @Returned({ ...referenceTo(TaxSheet), description: 'All properties together.' }) total!: TaxSheet;

  @Returned({
    ...referencesTo(TaxSheetOfProperty),
    description: 'Ordered by id. A property without a transaction in the year is left out.',
  })
  properties!: unknown[];
}
