import type * as openapi from '@nestjs/swagger';
import { type Access, accessOf } from '../common/access/access.guard.js';
import { PROBLEMS, type ProblemSlug } from '../common/problems/problem.js';
import { INT64, TEXT } from '../common/validation/schema.js';
import { headersOf, idempotencyKey, ifMatch } from './headers.js';
import { FACTS, type OperationFacts, type Success } from './operation.js';
import { componentName } from './problems.js';

const JSON_TYPE = 'application/json';

export interface Route {
  readonly path: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly operation: openapi.OperationObject;
  readonly document: openapi.OpenAPIObject;
  /** The shared responses of problems: name → slugs. Each operation adds its own. */
  readonly problems: Map<string, readonly ProblemSlug[]>;
}

/** A route with its access and the facts that its handler declares. */
interface Described extends Route {
  readonly facts: OperationFacts;
  readonly access: Access;
}

/** Completes an operation found by Nest's scanner: parameters, security, and every status. */
export function describeOperation(route: Route): void {
  const { operation, document } = route;
  const facts = Reflect.get(operation, FACTS) as OperationFacts | undefined;
  if (facts === undefined) throw new Error(`${operation.operationId} has no @Operation`);
  Reflect.deleteProperty(operation, FACTS);
  const access = accessOf(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), route.method.toUpperCase());
  const described = { ...route, facts, access };
  operation.security = access === 'public' ? [] : [{ bearer: [] }];
  operation.parameters = parametersOf(described);
  if (facts.file !== undefined) operation.requestBody = { required: true, content: textContent(facts.file) };
  const body = operation.requestBody as openapi.RequestBodyObject | undefined;
  for (const content of Object.values(body?.content ?? {}))
    content.example ??= facts.body ?? exampleOf(content.schema, document);
  operation.responses = responsesOf(described);
}

function textContent(examples: Readonly<Record<string, string>>): openapi.ContentObject {
  const content = Object.entries(examples).map(([type, example]) => [type, { schema: TEXT, example }]);
  return Object.fromEntries(content) as openapi.ContentObject;
}

function parametersOf({ operation, method, facts }: Described): openapi.OperationObject['parameters'] {
  const scanned = (operation.parameters ?? []) as openapi.ParameterObject[];
  const own = scanned.filter((parameter) => parameter.in !== 'header').map(parameterOf);
  const names = [
    ...(method === 'get' && facts.success.headers?.includes('ETag') ? ['IfNoneMatch'] : []),
    'RequestId',
  ];
  const key = isRepeatable(facts) ? [idempotencyKey(operation.operationId ?? '')] : [];
  const version = facts.ifMatch === undefined ? [] : [ifMatch(facts.ifMatch)];
  return [...own, ...key, ...version, ...names.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function isRepeatable({ success }: OperationFacts): boolean {
  return success.headers?.includes('Idempotent-Replayed') === true;
}

/** Every parameter of a path is an id; those of a query have defaults, and are never null. */
function parameterOf(parameter: openapi.ParameterObject): openapi.ParameterObject {
  if (parameter.in === 'path')
    return { ...parameter, description: 'An id: plain digits.', schema: INT64, example: 1 };
  const { examples, schema, ...rest } = parameter;
  const { type, enum: values, ...others } = schema as openapi.SchemaObject;
  const [only] = [type].flat();
  const [example] = (examples ?? []) as unknown[];
  return {
    ...rest,
    ...(only === 'array' ? { style: 'form', explode: true } : {}),
    schema: { ...others, type: only, enum: values?.filter((value) => value !== null) },
    example,
  };
}

function responsesOf(route: Described): openapi.ResponsesObject {
  const { success } = route.facts;
  const responses: openapi.ResponsesObject = { [success.status ?? 200]: successResponse(route, success) };
  const unchanged = 'The resource still has the version of `If-None-Match`.';
  if (route.method === 'get' && success.headers?.includes('ETag'))
    responses[304] = { description: unchanged, headers: headersOf(['ETag']) };
  for (const [status, other] of Object.entries(success.also ?? {}))
    responses[status] = successResponse(route, { ...success, ...other });
  const slugs = problemsOf(route);
  for (const { status } of slugs.map((slug) => PROBLEMS[slug])) {
    const alternatives = slugs.filter((slug) => PROBLEMS[slug].status === status);
    const name = componentName(alternatives);
    if (responses[status] === undefined) route.problems.set(name, alternatives);
    responses[status] ??= { $ref: `#/components/responses/${name}` };
  }
  return responses;
}

function successResponse({ document, operation }: Route, success: Success): openapi.ResponseObject {
  const { description, status = 200, headers, mediaTypes, texts = {}, links } = success;
  const scanned = operation.responses[status] as openapi.ResponseObject;
  const schema = mediaTypes === undefined ? scanned.content?.[JSON_TYPE]?.schema : TEXT;
  const example = success.example ?? exampleOf(schema, document);
  const types = mediaTypes ?? [JSON_TYPE];
  const content = Object.fromEntries(types.map((mediaType) => [mediaType, { schema, example }]));
  const follow = Object.entries(links ?? {}).map(([id, parameters]) => [id, { operationId: id, parameters }]);
  return {
    description,
    headers: headersOf(headers),
    content: schema && { ...content, ...textContent(texts) },
    links: links && (Object.fromEntries(follow) as openapi.ResponseObject['links']),
  };
}

type Schema = openapi.ContentObject[string]['schema'];

/** The problems of every request, of the route, and of this operation alone. */
function problemsOf({ operation, method, path, facts, access }: Described): ProblemSlug[] {
  const isOnce = isRepeatable(facts);
  const meetsWrites = facts.ifMatch !== undefined || isOnce || method === 'delete';
  const hasInput = operation.requestBody !== undefined || operation.parameters?.some((each) => 'in' in each);
  // The caller's account has been read with its token.
  const needsConnection = access !== 'public' && path.startsWith('/api/') && path !== '/api/users/me';
  const when = (applies: boolean | undefined, ...slugs: ProblemSlug[]) => (applies ? slugs : []);
  return [
    ...(facts.problems ?? []),
    ...when(hasInput, 'validation-failed'),
    'malformed-request',
    ...when(access !== 'public', 'authentication-required'),
    // An API key may be one that only reads.
    ...when(access !== 'public' && (access !== 'authenticated' || method !== 'get'), 'access-denied'),
    ...when(path.includes('{') || isOnce, 'not-found'),
    ...when(meetsWrites, 'concurrent-modification'),
    ...when(isOnce, 'idempotency-key-reused'),
    ...when(needsConnection, 'too-many-requests'),
    'method-not-allowed',
    'request-timeout',
    ...when(method !== 'get', 'payload-too-large', 'unsupported-media-type'),
    'uri-too-long',
    'headers-too-large',
    'internal-error',
    'service-unavailable',
  ];
}

/** An example of a body, made of the examples of its fields. A field without one is null or undefined. */
function exampleOf(node: Schema, document: openapi.OpenAPIObject): unknown {
  if (node === undefined) return undefined;
  if ('$ref' in node)
    return exampleOf(document.components?.schemas?.[node.$ref.split('/').at(-1) ?? ''], document);
  if (Array.isArray(node.examples)) return node.examples[0];
  const other = node.allOf?.[0] ?? node.anyOf?.at(-1); // of a choice with null, the other schema
  if (other !== undefined) return exampleOf(other, document);
  if (node.type?.includes('null')) return null;
  if (node.items !== undefined) return [exampleOf(node.items, document)];
  const members = Object.entries(node.properties ?? {});
  if (members.length === 0) return undefined;
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, document)]));
}
