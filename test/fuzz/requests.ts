import { METHODS } from 'node:http';
import { gzipSync } from 'node:zlib';
import { propertyRequest, transactionRequest } from '../support/factories.js';
import type { Random } from '../support/random.js';
import { BROKEN_FRAMING, type Refused, TARGET } from './refused.js';
import { BODIES, HEADERS, IDS, QUERIES, RAW_VALUES, VALUES } from './values.js';

/** What valid requests refer to. */
export interface Facts {
  readonly user: string;
  readonly admin: string;
  readonly properties: readonly number[];
  readonly transactions: readonly number[];
  /** Another account, and what belongs to it. */
  readonly stranger: string;
  readonly foreignProperty: number;
  readonly foreignTransaction: number;
}

/** A request as bytes, and what its sender has to know. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: Buffer;
  /** Its length is not what it says: nothing may follow on its connection. */
  readonly isLast: boolean;
}

interface Draft {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  fields: Record<string, unknown> | undefined;
  body: Buffer | undefined;
  /** Says that its body is shorter than it is. */
  understates: boolean;
  isLast: boolean;
  /** In place of all the rest. */
  refused?: Refused;
}

/** Makes requests out of valid ones, the same from the same random numbers. */
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
    const property = random.pick(facts.properties);
    const transaction = random.pick(facts.transactions);
    const search = { searchTerm: 'n', minAmount: 1, sortBy: 'amount', page: 0, size: 5 };
    const credentials = { username: `fuzz-${random.below(1e9)}`, password: 'x'.repeat(7 + random.below(4)) };
    const [method, target, fields] = random.pick<[string, string, Record<string, unknown>?]>([
      ['GET', '/api/properties?page=0&size=5&sort=name,desc'],
      ['POST', '/api/properties', propertyRequest({ description: 'Fuzz' })],
      ['GET', `/api/properties/${property}`],
      ['PUT', `/api/properties/${property}`, propertyRequest()],
      ['DELETE', `/api/properties/${property}`],
      ['GET', '/api/transactions?sort=amount,asc'],
      ['POST', '/api/transactions', this.transaction(property)],
      ['GET', `/api/transactions/${transaction}`],
      ['PUT', `/api/transactions/${transaction}`, this.transaction(property)],
      ['DELETE', `/api/transactions/${transaction}`],
      ['POST', '/api/transactions/batch', { transactions: [this.transaction(property)] }],
      ['POST', '/api/transactions/import?dryRun=true', this.transaction(property)],
      ['POST', '/api/transactions/search', search],
      ['POST', '/api/transactions/export?bom=true', search],
      ['GET', '/api/properties/export?sort=name,desc'],
      ['GET', `/api/transactions/property/${property}?size=3`],
      ['GET', `/api/reports/profit-and-loss?groupBy=property,month&from=2026-01-01&propertyId=${property}`],
      ['GET', '/api/reports/profit-and-loss?groupBy=category,year&basis=cash&timeZone=America/Havana'],
      ['GET', `/api/reports/tax-year?year=2026&form=schedule-e&propertyId=${property}`],
      ['GET', `/api/reports/cash-flow?months=3&from=2026-01-31&timeZone=Asia/Tokyo&propertyId=${property}`],
      ['GET', '/api/users/me'],
      ['GET', '/api/users'],
      ['GET', '/actuator/health'],
      ['GET', '/actuator/info'],
      ...this.validElsewhere(property, transaction),
      random.chance(0.2)
        ? ['POST', '/api/auth/signup', { ...credentials, email: `${credentials.username}@example.com` }]
        : ['POST', '/api/auth/signup', { ...credentials, password: 'short' }],
      random.chance(0.1) ? ['POST', '/api/auth/signin', credentials] : ['POST', '/api/auth/signin', {}],
    ]);
    const headers: Draft['headers'] = [['Host', 'localhost']];
    const token = method === 'GET' && random.chance(0.1) ? facts.admin : facts.user;
    if (random.chance(0.95)) headers.push(['Authorization', `Bearer ${token}`]);
    if (fields !== undefined) headers.push(['Content-Type', 'application/json']);
    return { method, target, headers, fields, body: undefined, understates: false, isLast: false };
  }

  /** What is there, and is not the user's. */
  private validElsewhere(
    property: number,
    transaction: number,
  ): [string, string, Record<string, unknown>?][] {
    const { stranger, foreignProperty, foreignTransaction } = this.facts;
    const [ofProperty, ofTransaction] = [
      `/api/properties/${foreignProperty}`,
      `/api/transactions/${foreignTransaction}`,
    ];
    return [
      ['GET', ofProperty],
      ['PUT', ofProperty, propertyRequest()],
      ['DELETE', ofProperty],
      ['GET', ofTransaction],
      ['PUT', ofTransaction, this.transaction(property)],
      ['DELETE', ofTransaction],
      ['GET', `/api/transactions/property/${foreignProperty}`],
      ['GET', `/api/reports/profit-and-loss?propertyId=${foreignProperty}`],
      ['POST', '/api/transactions', this.transaction(foreignProperty)],
      ['POST', '/api/transactions/batch', { transactions: [this.transaction(foreignProperty)] }],
      ['PUT', `/api/transactions/${transaction}`, this.transaction(foreignProperty)],
      ['GET', `/api/users/${stranger}`],
      ['DELETE', `/api/users/${stranger}`],
      ['GET', '/actuator'],
      ['GET', '/actuator/prometheus'],
      ['GET', '/actuator/health/readiness'],
    ];
  }

  private transaction(property: number): Record<string, unknown> {
    return transactionRequest(property, {
      tags: ['a'],
      metadata: { a: 'b' },
      dueDate: '2026-03-01T00:00:00Z',
    });
  }

  private readonly changes: ((draft: Draft) => void)[] = [
    (draft) => void (draft.method = this.methodInPlaceOf(draft)),
    (draft) =>
      void (draft.target = draft.target.replace(/\d+(?=\?|$)|\/\w+$/, (last) => this.idInPlaceOf(last))),
    (draft) => void (draft.target = this.pathInPlaceOf(draft.target)),
    (draft) => void (draft.target += `${draft.target.includes('?') ? '&' : '?'}${this.random.pick(QUERIES)}`),
    (draft) => this.addHeader(draft),
    (draft) => this.dropHeader(draft),
    (draft) => this.changeField(draft),
    (draft) => this.changeField(draft),
    (draft) => this.changeField(draft),
    (draft) => this.dropField(draft),
    (draft) => this.replaceBody(draft),
    (draft) => this.breakBody(draft),
    (draft) => void (draft.understates = this.random.chance(0.3)),
    (draft) => void (draft.refused = this.random.pick(BROKEN_FRAMING)),
  ];

  /** Never a write with an ADMIN's token: that could delete the accounts of the test. */
  private methodInPlaceOf({ method, headers }: Draft): string {
    if (headers.some(([, value]) => value.endsWith(this.facts.admin))) return method;
    return this.random.pick([...METHODS.filter((name) => name !== 'CONNECT'), 'FUZZ', 'get', '']);
  }

  private idInPlaceOf(last: string): string {
    return last.startsWith('/') ? `/${this.random.pick(IDS)}` : this.random.pick(IDS);
  }

  private pathInPlaceOf(target: string): string {
    const { random } = this;
    return random.pick([
      () => target.toUpperCase(),
      () => target.replace('/', '//'),
      () => `${target}/`,
      () => target.replace(/\/(\w+)$/, '/./$1'),
      () => target.replace('/api', '/api/../api'),
      () => `http://localhost${target}`,
      () => encodeURIComponent(target),
      () => target.slice(0, random.below(target.length)) || '/',
      () => `${target}${'a'.repeat(random.pick([100, 5000, 9000]))}`,
      () => target.replaceAll('a', '%61'),
      () => `${target}\u00ff`,
      () => '*',
    ])();
  }

  private addHeader(draft: Draft): void {
    const header = this.random.pick(HEADERS);
    if (this.random.chance(0.7)) draft.headers = draft.headers.filter(([name]) => name !== header[0]);
    if (header[0] === 'Transfer-Encoding' || header[0] === 'Content-Length') draft.isLast = true;
    draft.headers.push(header);
  }

  private dropHeader(draft: Draft): void {
    draft.headers.splice(this.random.below(draft.headers.length), 1);
  }

  private changeField({ fields }: Draft): void {
    if (fields === undefined) return;
    const names = [
      ...Object.keys(fields),
      'unknown',
      'id',
      'role',
      'ownerId',
      'status',
      'notes',
      '__proto__',
    ];
    Object.defineProperty(fields, this.random.pick(names), {
      value: this.random.chance(0.15) ? new RawJson(this.random.pick(RAW_VALUES)) : this.random.pick(VALUES),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }

  private dropField({ fields }: Draft): void {
    if (fields === undefined) return;
    Reflect.deleteProperty(fields, this.random.pick(['none', ...Object.keys(fields)]));
  }

  private replaceBody(draft: Draft): void {
    const bodies = [...BODIES, ...this.otherEncodings(draft)];
    draft.body = Buffer.from(this.random.pick(bodies));
  }

  /** The same text in what is not UTF-8. */
  private otherEncodings(draft: Draft): Buffer[] {
    const text = (bodyOf(draft) ?? '{"name":"\u00e9"}').toString();
    return [
      Buffer.from(text, 'utf16le'),
      Buffer.from(text, 'utf16le').swap16(),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(text.replace('}', ',"notes":"\u00e9"}'), 'latin1'),
      Buffer.from(text.replace('{', '{"notes":"\u00c0\u00af",'), 'latin1'), // a slash in two bytes
      gzipSync(text),
      Buffer.from(encodeURIComponent(text)),
      Buffer.from(JSON.stringify(text)),
    ];
  }

  /** Changes, removes or adds single bytes. */
  private breakBody(draft: Draft): void {
    const { random } = this;
    const body = Buffer.from(draft.body ?? bodyOf(draft) ?? '{}');
    for (let left = 1 + random.below(4); left > 0; left--)
      if (body.length > 0) body[random.below(body.length)] = random.below(256);
    draft.body = random.chance(0.3) ? body.subarray(0, random.below(body.length + 1)) : body;
  }

  private written(draft: Draft): FuzzRequest {
    if (draft.refused !== undefined) return this.broken(draft.refused);
    const body = draft.body ?? bodyOf(draft);
    const headers = [...draft.headers];
    const isFramed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
    const inChunks = body !== undefined && !isFramed && this.random.chance(0.2);
    const understates = body !== undefined && body.length > 0 && draft.understates && !isFramed && !inChunks;
    if (inChunks) headers.push(['Transfer-Encoding', 'chunked']);
    else if (body !== undefined && !isFramed)
      headers.push(['Content-Length', String(understates ? this.random.below(body.length) : body.length)]);
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const target = draft.target.replace(/ /g, '%20');
    const head = Buffer.from(`${draft.method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
    const content = inChunks ? chunked(body) : (body ?? Buffer.alloc(0));
    // What says that a body comes and has none would be waited for.
    const end = isFramed ? Buffer.from('0\r\n\r\n') : Buffer.alloc(0);
    const bytes = Buffer.concat([head, content, end]);
    return { method: draft.method, target, headers, bytes, isLast: draft.isLast || understates };
  }

  private broken({ bytes }: Refused): FuzzRequest {
    const value = `Bearer ${this.facts.user}`;
    return {
      method: 'POST',
      target: TARGET,
      headers: [['Authorization', value]],
      bytes: Buffer.from(bytes(`Authorization: ${value}`), 'latin1'),
      isLast: true,
    };
  }
}

/** JSON text that goes out as it is. */
class RawJson {
  constructor(readonly text: string) {}
}

function bodyOf({ fields }: Draft): Buffer | undefined {
  if (fields === undefined) return undefined;
  const members = Object.entries(fields).map(([name, value]) => {
    const text = value instanceof RawJson ? value.text : (JSON.stringify(value) as string | undefined);
    return `${JSON.stringify(name)}:${text ?? 'null'}`;
  });
  return Buffer.from(`{${members.join(',')}}`);
}

function chunked(body: Buffer): Buffer {
  const middle = Math.floor(body.length / 2);
  const parts = [body.subarray(0, middle), body.subarray(middle)].filter((part) => part.length > 0);
  const chunks = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}
