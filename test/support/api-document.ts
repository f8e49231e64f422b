import { readFileSync } from 'node:fs';
import type { OpenAPIObject, OperationObject, ResponseObject } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { pathOf } from '../../src/common/problems/problem.js';
import { INSTANT } from './contract.js';

/** The API document of the repository, the working directory of Jest and npm. */
export const API_DOCUMENT = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;

/** The operations, with the form of their paths. */
export const OPERATIONS = Object.entries(API_DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return { method: method.toUpperCase(), path, pattern, operation };
  }),
);

type DocumentedOperation = (typeof OPERATIONS)[number];

/** The operation of a request; a HEAD is a GET. */
export function operationOf(method: string, target: string): DocumentedOperation | undefined {
  const path = decoded(pathOf(target));
  const wanted = method === 'HEAD' ? 'GET' : method;
  const matching = OPERATIONS.filter((it) => it.method === wanted && it.pattern.test(path));
  return matching.find((it) => !it.path.includes('{')) ?? matching[0];
}

/** The path as the router decodes it, or as it is where it cannot. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Compiled when first needed, once for all test files of a worker, which share Node's globals. */
const ofWorker = globalThis as { schemas?: Ajv2020 };
const ajv = (ofWorker.schemas ??= newSchemas());

function newSchemas(): Ajv2020 {
  const quick = { validateSchema: false, inlineRefs: false, code: { optimize: false } };
  const schemas = new Ajv2020({ strict: false, allErrors: true, multipleOfPrecision: 6, ...quick });
  addFormats.default(schemas);
  schemas.addSchema(API_DOCUMENT, 'request').addSchema(closed(API_DOCUMENT) as OpenAPIObject, 'response');
  return schemas;
}

/** The faults of a value by the schema at this JSON pointer, with each object of a response closed. */
export function faultsOf(
  pointer: string,
  value: unknown,
  use: 'request' | 'response' = 'response',
): string[] {
  const validate = ajv.getSchema(`${use}#${pointer}`);
  if (validate === undefined) throw new Error(`There is no ${pointer} in the API document`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath || 'the body', message, JSON.stringify(params)].join(' '),
  );
}

/**
 * The document with every object closed: an undocumented member is a fault. An instant has its one form, which the
 * document only describes. A bound that JSON.parse rounds up to passes: `99999999999999999.99` is read as 1e17.
 */
function closed(node: unknown, isPart = false): unknown {
  if (Array.isArray(node)) return node.map((item) => closed(item, isPart));
  if (typeof node !== 'object' || node === null) return node;
  const { exclusiveMaximum, ...rest } = node as Record<string, unknown>;
  const copy = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, closed(value, key === 'allOf' || key === 'Problem')]),
  );
  if (exclusiveMaximum !== undefined) copy['maximum'] = exclusiveMaximum;
  if (rest['format'] === 'date-time') copy['pattern'] = INSTANT.source;
  if (isPart || !('allOf' in copy || 'properties' in copy) || copy['additionalProperties'] !== undefined)
    return copy;
  return 'type' in copy || 'allOf' in copy ? { ...copy, unevaluatedProperties: false } : copy;
}

/** A documented response, and the JSON pointer to it. */
export function responseOf(
  { method, path, operation }: DocumentedOperation,
  status: number,
): { readonly pointer: string; readonly response: ResponseObject } | undefined {
  const response = operation.responses[status];
  if (response === undefined) return undefined;
  if (!('$ref' in response))
    return { pointer: `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`, response };
  const name = response.$ref.split('/').at(-1)!;
  const shared = API_DOCUMENT.components?.responses?.[name] as ResponseObject;
  return { pointer: response.$ref.slice(1), response: shared };
}

export function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
