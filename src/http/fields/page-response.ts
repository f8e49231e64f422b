import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { Returned } from './fields.js';
import { MAX_PAGE_SIZE } from './page.js';
import { BOOLEAN, INT32, INT64, referencesTo } from './schema.js';

/** The paged envelope around elements of one kind, as the API document names it. */
export function pagedEnvelope(element: Type, name: string): Type {
  @ApiSchema({ name })
  @ApiExtraModels(element)
  class Page {
    @Returned(referencesTo(element))
    content!: unknown[];

    @Returned({ ...INT32, minimum: 0, example: 0 })
    page!: number;

    @Returned({ ...INT32, minimum: 1, maximum: MAX_PAGE_SIZE, example: 20 })
    size!: number;

    @Returned({ ...INT64, minimum: 0, description: 'On all pages together.', example: 1 })
    totalElements!: string;

    @Returned({ ...INT32, minimum: 0, example: 1 })
    totalPages!: number;

    @Returned({ ...BOOLEAN, description: 'Whether no page follows.', example: true })
    last!: boolean;
  }
  return Page;
}
