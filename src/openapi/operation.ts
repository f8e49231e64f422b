import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { HEADERS } from './headers.js';
import type { ProblemSlug } from '../common/problems/problem.js';
import { WithoutFaults } from '../common/validation/fields.pipe.js';

export interface Success {
  readonly description: string;
  /** 200 unless given. */
  readonly status?: number;
  /** The class of the body, or of the elements of a list; without it the body is empty. */
  readonly type?: Type | [Type];
  /** In place of JSON: the media types of a text. */
  readonly mediaTypes?: readonly string[];
  /** Beside JSON: media type → an example of the text. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly headers?: readonly (keyof typeof HEADERS)[];
  /** Operations that continue with the response: operationId → its parameters (OpenAPI's runtime expressions). */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** In place of the examples of the fields. */
  readonly example?: unknown;
  /** Another status with a body of the same kind. */
  readonly also?: Readonly<Record<number, { readonly description: string; readonly example: unknown }>>;
}

export interface OperationFacts {
  readonly summary: string;
  readonly description: string;
  /** An example of the JSON body, in place of those of its fields. */
  readonly body?: object;
  /** In place of a JSON body: media type → a file. */
  readonly file?: Readonly<Record<string, string>>;
  readonly success: Success;
  /** An example of `If-Match`, where the write reads it: the version to which the examples before it have led. */
  readonly ifMatch?: string;
  /** The problems beyond those that follow from access, method, path, headers and body. */
  readonly problems?: readonly ProblemSlug[];
}

/** The extension under which the scanner finds the facts; it is taken out again. */
export const FACTS = 'x-facts';

/** Describes a handler in the API document, under its own name, with its status, and has it called {@link WithoutFaults}. */
export function Operation(facts: OperationFacts): MethodDecorator {
  const { summary, description, success } = facts;
  const { status = 200, type } = success;
  const described = [ApiOperation({ summary, description }), ApiExtension(FACTS, facts)];
  return applyDecorators(
    WithoutFaults,
    ...described,
    ApiResponse({ status, ...(type && { type }) }),
    HttpCode(status),
  );
}
