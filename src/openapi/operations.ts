import type {
  ContentObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  ResponsesObject,
  SchemaObject,
} from '@nestjs/swagger';
import { getSchemaPath } from '@nestjs/swagger';
import { type Access, accessOf } from '../access/access-rules.js';
import { PROBLEMS, type ProblemSlug } from '../http/problem/problem.js';
import { INT64, TEXT } from '../http/fields/schema.js';
import { exampleOf } from './examples.js';
import { headersOf } from './headers.js';
import { factsOf, type OperationFacts, type Success } from './operation.js';
import { componentName } from './problems.js';

export type Method = 'get' | 'post' | 'put' | 'delete';

export interface Route {
  readonly path: string;
  readonly method: Method;
  readonly operation: OperationObject;
  readonly document: OpenAPIObject;
  /** The shared responses of problems: name → slugs. Each operation adds its own. */
  readonly problems: Map<string, readonly ProblemSlug[]>;
}

/** Completes an operation that Nest's scanner has found: parameters, security, and every status. */
export function describeOperation(route: Route): void {
  const { operation, path, method, document } = route;
  const facts = factsOf(operation.operationId);
  const access = accessOf(path.replaceAll(/\{(\w+)\}/g, ':$1'), method.toUpperCase());
  operation.security = access === 'public' ? [] : [{ bearer: [] }];
  operation.parameters = parametersOf(route, facts);
  if (facts.file !== undefined) operation.requestBody = { required: true, content: textContent(facts.file) };
  for (const content of Object.values(bodyOf(operation)?.content ?? {}))
    content.example ??= facts.body ?? exampleOf(content.schema, document);
  operation.responses = responsesOf(route, facts, access);
}

/** Media type → schema and example of a text. */
function textContent(examples: Readonly<Record<string, string>>): ContentObject {
  const content = Object.entries(examples).map(
    ([type, example]) => [type, { schema: TEXT, example }] as const,
  );
  return Object.fromEntries(content);
}

function bodyOf(operation: OperationObject): Exclude<OperationObject['requestBody'], ReferenceObject> {
  return operation.requestBody as Exclude<OperationObject['requestBody'], ReferenceObject>;
}

function parametersOf(
  { operation, method }: Route,
  facts: OperationFacts,
): (ParameterObject | ReferenceObject)[] {
  const { success, conditional = false } = facts;
  const scanned = (operation.parameters ?? []) as ParameterObject[];
  const own = scanned.filter((parameter) => parameter.in !== 'header').map(described);
  const names = ['RequestId'];
  if (conditional) names.unshift('IfMatch');
  if (isRepeatable(facts)) names.unshift('IdempotencyKey');
  if (method === 'get' && success.headers?.includes('ETag')) names.unshift('IfNoneMatch');
  return [...own, ...names.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

/** Whether the write reads `Idempotency-Key`. */
function isRepeatable({ success }: OperationFacts): boolean {
  return success.headers?.includes('Idempotent-Replayed') === true;
}

/** Every parameter of a path is an id; those of a query have defaults, and are never null. */
function described(parameter: ParameterObject): ParameterObject {
  if (parameter.in === 'path')
    return { ...parameter, description: 'An id: plain digits.', schema: INT64, example: 1 };
  const { examples, ...rest } = parameter;
  const { type, ...schema } = parameter.schema as SchemaObject;
  const [only] = [type].flat();
  if (schema.enum !== undefined) schema.enum = schema.enum.filter((value) => value !== null);
  const [example] = (examples ?? []) as unknown[];
  const serialization = only === 'array' ? { style: 'form' as const, explode: true } : {};
  return {
    ...rest,
    ...serialization,
    schema: { ...schema, ...(only === undefined ? {} : { type: only }) },
    example,
  };
}

function responsesOf(route: Route, facts: OperationFacts, access: Access): ResponsesObject {
  const { success } = facts;
  const responses: ResponsesObject = { [success.status ?? 200]: successResponse(route, success) };
  if (route.method === 'get' && success.headers?.includes('ETag'))
    responses[304] = {
      description: 'The resource still has the version of `If-None-Match`.',
      headers: headersOf(['ETag']),
    };
  for (const [status, other] of Object.entries(success.also ?? {}))
    responses[status] = successResponse(route, { ...success, ...other });
  for (const [status, slugs] of Object.entries(byStatus(problemsOf(route, facts, access)))) {
    responses[status] ??= shared(route.problems, slugs ?? []);
  }
  return responses;
}

function successResponse({ document }: Route, success: Success): ResponseObject {
  const response: ResponseObject = { description: success.description, headers: headersOf(success.headers) };
  const schema = schemaOf(success);
  if (schema !== undefined) {
    const content = { schema, example: success.example ?? exampleOf(schema, document) };
    const mediaTypes = success.mediaTypes ?? ['application/json'];
    response.content = {
      ...Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content])),
      ...textContent(success.texts ?? {}),
    };
  }
  if (success.links !== undefined)
    response.links = Object.fromEntries(
      Object.entries(success.links).map(([operationId, parameters]) => [
        operationId,
        { operationId, parameters },
      ]),
    );
  return response;
}

function schemaOf({ type, listOf, mediaTypes }: Success): SchemaObject | ReferenceObject | undefined {
  if (listOf !== undefined) return { type: 'array', items: { $ref: getSchemaPath(listOf) } };
  if (type !== undefined) return { $ref: getSchemaPath(type) };
  return mediaTypes === undefined ? undefined : { type: 'string' };
}

/** The problems of every request, of the route, and of this operation alone. */
function problemsOf(
  { operation, method, path }: Route,
  facts: OperationFacts,
  access: Access,
): Set<ProblemSlug> {
  const hasInput =
    operation.requestBody !== undefined || (operation.parameters ?? []).some((it) => 'in' in it);
  return new Set<ProblemSlug>([
    ...(hasInput ? (['validation-failed'] as const) : []),
    'malformed-request',
    ...(access === 'public' ? [] : (['authentication-required'] as const)),
    ...(access === 'admin' || access === 'metrics' ? (['access-denied'] as const) : []),
    ...(facts.problems ?? []),
    ...(isRepeatable(facts) ? (['idempotency-key-reused'] as const) : []),
    ...(access !== 'public' && needsConnection(path) ? (['too-many-requests'] as const) : []),
    'method-not-allowed',
    'request-timeout',
    ...(method === 'get' ? [] : (['payload-too-large', 'unsupported-media-type'] as const)),
    'uri-too-long',
    'expectation-failed',
    'headers-too-large',
    'internal-error',
    'service-unavailable',
  ]);
}

/** Whether the handler reads the database. The caller's account has been read with its token. */
function needsConnection(path: string): boolean {
  return path.startsWith('/api/') && path !== '/api/users/me';
}

function byStatus(slugs: Iterable<ProblemSlug>): Partial<Record<string, ProblemSlug[]>> {
  const groups: Partial<Record<string, ProblemSlug[]>> = {};
  for (const slug of slugs) (groups[PROBLEMS[slug].status] ??= []).push(slug);
  return groups;
}

function shared(problems: Route['problems'], slugs: readonly ProblemSlug[]): ReferenceObject {
  const name = componentName(slugs);
  problems.set(name, slugs);
  return { $ref: `#/components/responses/${name}` };
}
