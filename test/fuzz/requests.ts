import { METHODS } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { OperationObject, ParameterObject, RequestBodyObject } from '@nestjs/swagger';
import { OPERATIONS } from '../support/api-document.js';
import type { Random } from '../support/random.js';
import { BODIES, HEADERS, IDS, LAST_SEGMENTS, QUERIES, VALUES } from './values.js';

/** The rows and tokens of the requests. */
export interface Facts {
  readonly user: string;
  readonly admin: string;
  readonly properties: readonly number[];
  readonly transactions: readonly number[];
  /** Rows of another account. */
  readonly foreignProperty: number;
  readonly foreignTransaction: number;
}

export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: Buffer;
  /** Its framing may be wrong: nothing may follow on its connection. */
  readonly isLast: boolean;
}

interface Draft {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  /** Name → JSON text. */
  fields: Map<string, string>;
  /** In place of the fields. */
  body: Buffer | undefined;
  isLast: boolean;
}

const FURTHER_FIELDS = ['unknown', 'id', 'role', 'ownerId', 'status', 'notes', '__proto__'];

/** Changes the API document's own examples, the same way for the same random numbers. */
export class RequestMaker {
  constructor(
    private readonly random: Random,
    private readonly facts: Facts,
  ) {}

  next(): FuzzRequest {
    const draft = this.valid();
    for (let left = 1 + this.random.below(3); left > 0; left--) this.random.pick(this.changes)(draft);
    return this.written(draft);
  }

  private valid(): Draft {
    const { random, facts } = this;
    const { method, path, operation } = random.pick(OPERATIONS);
    const [property, transaction] = random.chance(0.3)
      ? [facts.foreignProperty, facts.foreignTransaction]
      : [random.pick(facts.properties), random.pick(facts.transactions)];
    const id = path.includes('users') ? 'me' : path.includes('transactions/{id}') ? transaction : property;
    const query = queryOf(operation, property).filter((it) => it.includes('dryRun') || random.chance(0.3));
    const headers: Draft['headers'] = [['Host', 'localhost']];
    // never a write with an ADMIN's token: it could delete the accounts of the test
    const token = method === 'GET' && random.chance(0.1) ? facts.admin : facts.user;
    if (random.chance(0.95)) headers.push(['Authorization', `Bearer ${token}`]);
    const { requestBody } = operation as { requestBody?: RequestBodyObject };
    const [[type, example] = []] = Object.entries(requestBody?.content ?? {}).map(
      ([name, content]) => [name, content.example as unknown] as const,
    );
    if (type !== undefined) headers.push(['Content-Type', type]);
    const isSlow = path.startsWith('/api/auth/') && random.chance(0.8); // hashes of passwords take long
    return {
      method,
      target: path.replace(/\{\w+\}/, String(id)) + (query.length > 0 ? `?${query.join('&')}` : ''),
      headers,
      fields: new Map(typeof example === 'object' && !isSlow ? fieldsOf(example!, property) : []),
      body: typeof example === 'string' ? Buffer.from(example) : undefined,
      isLast: false,
    };
  }

  private readonly changes: ((draft: Draft) => void)[] = [
    (draft) => void (draft.method = this.methodInPlaceOf(draft)),
    (draft) => void (draft.target = this.otherIdIn(draft.target)),
    (draft) => void (draft.target = this.pathInPlaceOf(draft.target)),
    (draft) => void (draft.target = draft.target.replace(/[^/?]+(?=\?|$)/, this.random.pick(LAST_SEGMENTS))),
    (draft) => void (draft.target += `${draft.target.includes('?') ? '&' : '?'}${this.random.pick(QUERIES)}`),
    (draft) => this.addHeader(draft),
    (draft) => void draft.headers.splice(this.random.below(draft.headers.length), 1),
    ...Array<(draft: Draft) => void>(3).fill(({ fields }) => {
      const name = this.random.pick([...fields.keys(), ...FURTHER_FIELDS]);
      fields.set(name, this.random.pick(VALUES));
    }),
    ({ fields }) => void fields.delete(this.random.pick(['none', ...fields.keys()])),
    (draft) => void (draft.body = Buffer.from(this.random.pick([...BODIES, ...otherEncodings(draft)]))),
    (draft) => this.breakBody(draft),
  ];

  private methodInPlaceOf({ method, headers }: Draft): string {
    if (headers.some(([, value]) => value.endsWith(this.facts.admin))) return method;
    return this.random.pick([...METHODS.filter((name) => name !== 'CONNECT'), 'FUZZ', 'get', '']);
  }

  private otherIdIn(target: string): string {
    const id = this.random.pick(IDS);
    return target.replace(/\d+(?=\?|$)|\/\w+$/, (last) => (last.startsWith('/') ? `/${id}` : id));
  }

  private pathInPlaceOf(target: string): string {
    return this.random.pick([
      ...[target.toUpperCase(), target.replace('/', '//'), `${target}/`, target.replace(/\/(\w+)$/, '/./$1')],
      ...[target.replace('/api', '/api/../api'), `http://localhost${target}`, encodeURIComponent(target)],
      ...[
        target.slice(0, this.random.below(12)) || '/',
        target.replaceAll('a', '%61'),
        `${target}\u00ff`,
        '*',
      ],
      `${target}${'a'.repeat(this.random.pick([100, 5000, 9000]))}`,
    ]);
  }

  private addHeader(draft: Draft): void {
    const header = this.random.pick(HEADERS);
    if (this.random.chance(0.7)) draft.headers = draft.headers.filter(([name]) => name !== header[0]);
    if (header[0] === 'Transfer-Encoding' || header[0] === 'Content-Length') draft.isLast = true;
    draft.headers.push(header);
  }

  /** Changes single bytes, or cuts the end off. */
  private breakBody(draft: Draft): void {
    const { random } = this;
    const body = Buffer.from(bodyOf(draft) ?? '{}');
    for (let left = 1 + random.below(4); left > 0; left--)
      if (body.length > 0) body[random.below(body.length)] = random.below(256);
    draft.body = random.chance(0.3) ? body.subarray(0, random.below(body.length + 1)) : body;
  }

  private written(draft: Draft): FuzzRequest {
    const { method, isLast } = draft;
    const body = bodyOf(draft);
    const headers = [...draft.headers];
    const isFramed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
    const inChunks = body !== undefined && !isFramed && this.random.chance(0.2);
    if (inChunks) headers.push(['Transfer-Encoding', 'chunked']);
    else if (body !== undefined && !isFramed) headers.push(['Content-Length', String(body.length)]);
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const target = draft.target.replace(/ /g, '%20');
    const size = body !== undefined && body.length > 0 ? `${body.length.toString(16)}\r\n` : '';
    const bytes = Buffer.concat([
      Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n${inChunks ? size : ''}`, 'latin1'),
      body ?? Buffer.alloc(0),
      Buffer.from(inChunks && size !== '' ? '\r\n' : ''),
      Buffer.from(isFramed || inChunks ? '0\r\n\r\n' : ''), // the service would wait for a body that is announced
    ]);
    return { method, target, bytes, isLast };
  }
}

/** The examples of the query's parameters. An import is always tried alone: its response names no rows. */
function queryOf({ parameters = [] }: OperationObject, property: number): string[] {
  return (parameters as ParameterObject[])
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
    .map(({ name, example }): [string, unknown] => [name, example])
    .map(([name, example]) => `${name}=${String({ propertyId: property, dryRun: true }[name] ?? example)}`);
}

/** The members of an example, for a property. */
function fieldsOf(example: object, property: number): [string, string][] {
  const text = JSON.stringify(example).replace(/("propertyId":)\d+/g, `$1${property}`);
  return Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, JSON.stringify(value)]);
}

function bodyOf({ body, fields }: Draft): Buffer | undefined {
  const members = Array.from(fields, ([name, text]) => `${JSON.stringify(name)}:${text}`);
  return body ?? (members.length === 0 ? undefined : Buffer.from(`{${members.join(',')}}`));
}

/** The same text in other encodings than UTF-8. */
function otherEncodings(draft: Draft): Buffer[] {
  const text = (bodyOf(draft) ?? '{"name":"\u00e9"}').toString();
  return [
    Buffer.from(text, 'utf16le'),
    Buffer.from(text.replace('}', ',"notes":"\u00e9"}'), 'latin1'),
    Buffer.from(text.replace('{', '{"notes":"\u00c0\u00af",'), 'latin1'), // a slash in two bytes
    gzipSync(text),
  ];
}
