import type { Fault } from './faults.js';

type Entry = readonly [start: string, part: string | RegExp, change: RegExp];

/** Faults that change no response: the start of the path, a part of the line, and the replacement. */
const EQUIVALENT: readonly Entry[] = [
  // how many rows one statement takes of many, and how much of a file is read ahead
  ['src/transfers/import.service.ts', 'const MOST_AT_ONCE = ', /./],
  ['src/database/owned.repository.ts', 'if (keys.length === 1', /^1 /],
  ['src/transfers/file-text.ts', 'text.length < 2 * length', /^(?:2|<) /],
  ['src/database/lists/list-lines.ts', 'const PART_OCTETS = ', /./],
  ['src/database/lists/list-lines.ts', 'const FETCHED = ', /./],
  ['src/database/lists/list-lines.ts', 'const MAX_ROWS = ', /./],
  ['src/database/lists/list-lines.ts', 'if (part.length > 0 && (', /./],
  ['src/transfers/row-owners.ts', 'group.length > 0', /^> /],
  ['src/auth/authentication.ts', 'const MAX_REMEMBERED = ', /./],
  ['src/auth/authentication.ts', 'this.verified.delete(token)', /./],
  // a string without an escape is the same to JSON.parse
  ['src/common/json/json-parser.ts', "part.includes('\\\\') ?", /→ true/],
  // faulty declarations of our own, which end the start
  ['src/database/statements.ts', 'if (column === undefined) throw new Error(', /→ false/],
  ['src/database/json-view.ts', 'if (column === undefined) throw new Error(', /→ false/],
  ['src/openapi/operations.ts', 'if (facts === undefined) throw new Error(', /→ false/],
  // the owners are all the same one
  ['src/database/owned.repository.ts', "? { id: owners[0] ?? '' }", /^0/],
  // no trace has the text of undefined
  ['src/http/headers.ts', "if (typeof given !== 'string')", /→ false/],
  // a short text is in its bounds, however it is counted
  ['src/common/validation/decorators.ts', 'input.length <= max ? 0 : lengthOf', /^0 |→ false|^<= /],
  // the text of null is null
  ['src/reports/reports.service.ts', 'propertyId === null ? null : new JsonText', /→ false/],
  // a list with a name has one sort key, its text is the same when built again, and prepared or not it has the same rows
  ['src/transactions/transactions.repository.ts', 'list.name !== undefined && sort.every(', /^every /],
  ['src/transactions/transactions.repository.ts', 'const isPrepared = ', /./],
  ['src/database/lists/page-rows.ts', 'if (name !== undefined) PREPARED.set', /./],
  ['src/database/lists/page-rows.ts', 'page * size > SHORT_OFFSET', /^> /],
  // the look-up finds the caller's own property, too
  ['src/database/owned.repository.ts', "if (scope !== 'every-owner') return scope.ownerId", /→ false/],
  // without an apostrophe nothing is replaced
  ['src/database/csv.ts', `cell.includes("'") ?`, /→ true/],
  // no field has the name of a member of Object.prototype
  ['src/common/validation/fields.ts', 'Object.hasOwn(members, name) ?', /→ true/],
  // what is known already is found once more, and what cannot be meant is looked for
  ['src/transfers/days.ts', 'if (!starts.has(text))', /→ true/],
  ['src/transfers/days.ts', 'if (text.length !== 10)', /→ false/],
  ['src/common/validation/calendar.ts', "day.slice(5, 7) === '02'", /→ true/],
  ['src/transfers/row-owners.ts', 'return rows.length > 0 ?', /^rows.* → true|→ >=/],
  ['src/common/validation/decorators.ts', 'if (value.length > 2 * max) return Infinity', /→ false|^2 /],
  ['src/auth/authentication.ts', 'this.verified.set(token, verified)', /^this/],
  ['src/transactions/search.ts', 'if (isIndexed(text, textSearch)) filters.push', /→ true/],
  // another way to the same rows
  ['src/transactions/search.ts', 'expensive: true', /^true /],
  ['src/transactions/search.ts', 'return TEXT_FIELDS.some(', /./],
  // a search for faults that goes on beyond those that are told, and the size of a turn
  ['src/common/validation/', 'if (faults.isFull) break', /./],
  ['src/common/validation/fields.pipe.ts', 'return sum + ', /./],
  // no field is of a group
  ['src/common/validation/fields.ts', "metadataOf(type, '',", /^false /],
  // an array without an element is far from full
  ['src/common/json/json-parser.ts', '(built?.length ?? 0)', /^0 /],
  // a timer of twelve days in place of 24
  ['src/common/concurrency/places.ts', 'const NEVER', /^2 /],
  // one millisecond more of a pause or a limit
  ['src/', /^const \w*(?:TIMEOUT|PAUSE|INTERVAL|SPAN|TIME_LIMIT|AFTER_LOSS|TURN) = \d+;/, /^\d{1,3} /],
  ['src/http/bodies.ts', 'if (start > now + AHEAD)', /^> /],
  ['src/auth/jwt.strategy.ts', 'const isIssued = iat <=', /^<= /],
  ['src/database/database.ts', 'Date.now() <= deadline', /^<= /],
  ['src/database/client.ts', 'if (this.age >= WORTH_REPLACING)', /^>= /],
  ['src/transactions/search.ts', 't.due_date < now()', /^< /],
  ['src/database/idempotency-keys.ts', "k.created_at < now() - interval '24 hours'", /^< /],
  // one octet more of a bound on memory or rate, and what is too short to be counted
  ['src/http/lingering-close.ts', 'if (left < 0)', /^[<0] /],
  ['src/http/large-responses.ts', 'const SMALL = ', /./],
  ['src/http/large-responses.ts', 'payload.length <= SMALL', /^<= /],
  ['src/actuator/metrics/v8.metrics.ts', "id: 'code', used: 0", /^0 /],
  ['src/database/json-view.ts', "'jsonb'].includes(type)", /→ false/],
  ['src/database/json-view.ts', 'return [`coalesce(octet_length(t.', /→ false/],
  // the end of a closed socket, and a timer behind a response
  ['src/http/lingering-close.ts', "socket.once('close', () => clearTimeout(timer))", /^socket/],
  ['src/common/access/access.guard.ts', 'sleep(OPTIONAL_AUTHENTICATION_TIMEOUT', /^false /],
  // turns between large bodies, and between rows
  ['src/common/concurrency/turns.ts', 'static readonly ', /./],
  ['src/common/concurrency/turns.ts', 'const isFull = ', /^>= /],
  ['src/common/concurrency/turns.ts', 'if (isFull) this.values = ', /^0 /],
  ['src/common/concurrency/turns.ts', 'LONGEST', /./],
  ['src/common/json/json-parser.ts', 'if (this.fillsTurn(', /^[01] /],
  ['src/common/validation/fields.pipe.ts', 'if (bytes.length <= Turn.CHARACTERS)', /./],
  // a hash that is compared with none, and rows kept under keys that never come again
  ['src/http/idempotency-key.ts', "request.headers['idempotency-key'] !== undefined", /→ true$/],
  ['src/database/owned.repository.ts', 'cache: false', /→ true$/],
  // no text of at least one character; an exclamation mark is no white space either
  ['src/common/validation/decorators.ts', '...(min > 0 && { minLength', /^0 /],
  ['src/common/json/json-parser.ts', 'const SPACE = 0x20', /→ 33$/],
  // the speed of uploads
  ['src/http/bodies.ts', 'const FASTEST = ', /./],
  ['src/http/bodies.ts', 'const LARGE = ', /./],
  // no refusal has the status 0 or 1
  ['src/common/problems/problem.filter.ts', 'statusCode = 0', /^0 /],
  // no error of another class is thrown there
  ['src/', '(error instanceof SyntaxError)) throw error', /→ false/],
  // a zero more in front of a year, and one row more than one too many
  ['src/reports/reports.service.ts', "String(year).padStart(4, '0')", /^4 /],
  ['src/reports/tax-year.ts', 'LIMIT ${MAX_PROPERTIES + 2}', /^2 /],
  // no other text or number comes between
  ['src/common/validation/calendar.ts', "day < '0001'", /^< /],
  ['src/common/json/json-parser.ts', "token < 'a'", /^< /],
  ['src/http/requests.ts', '(status ?? 0) >= 400', /^0 /],
  // nothing is added, so that an index is not used
  ['src/transfers/duplicates.ts', 't.amount + 0', /^\+ /],
  // the totals of an owner are there with the first row; one row more or less is another way to the same page
  ['src/transactions/transactions.repository.ts', 'Number(row?.transactions ?? 0)', /^[0>] /],
  // the tables are never dropped
  ['migrations/1800000000101-tables.ts', 'ALTER SEQUENCE', /^await/],
  // comments, and texts that are the same by any collation
  ['migrations/1800000000101-tables.ts', 'COMMENT ON', /./],
  ['src/reports/cash-flow.ts', 't.vendor COLLATE "C", t.description COLLATE "C"', /^ COLLATE/],
  // a foreign key refuses the property of another owner, a property keeps its owner, and a move by UPDATE has one
  ['src/transactions/transactions.repository.ts', 'properties p WHERE p.owner_id = :', /^p.owner_id/],
  ['migrations/1800000000102-totals.ts', /owner_id = (?:OLD|NEW).owner_id AND/, /^owner_id = /],
  ['migrations/1800000000102-totals.ts', 'PERFORM FROM owner_totals WHERE owner_id = NEW', /^NEW/],
  // another number that no other kind has
  ['src/reports/profit-and-loss.ts', 'const BOTH = 7', /→ 8$/],
  // compared key by key, the rows are the same
  ['src/database/lists/page-rows.ts', 'if (operators.every(', /→ (?:false|!==)$/],
  // any number names the lock
  ['src/database/migrate.ts', 'const MIGRATION_LOCK', /./],
  // one attempt less, or at once in place of soon
  ['src/quickstart/embedded-postgres/embedded-postgres.ts', 'if (left === 0) throw error', /^0 /],
  ['src/quickstart/embedded-postgres/embedded-postgres.ts', 'await sleep(PAUSE);', /^await/],
  // another operation has the same response of problems; no page or script answers 400
  ['src/openapi/operations.ts', 'if (responses[status] === undefined)', /→ true/],
  ['src/docs/routes.ts', 'if (reply.statusCode < 400)', /^400 /],
  // columns of a primary key
  ['migrations/1800000000101-tables.ts', /^ +(?:owner_id|caller_id|id|key) +\w+ +NOT NULL/, /NOT NULL/],
  ['migrations/1800000000101-tables.ts', /^ +property_id {2}bigint NOT NULL/, /NOT NULL/],
];

export function isEquivalent(fault: Fault): boolean {
  return EQUIVALENT.some((entry) => names(entry, fault));
}

/** Throws for an entry that names no fault: its line was changed or moved. */
export function refuseStaleEntries(faults: readonly Fault[]): void {
  const stale = EQUIVALENT.filter((entry) => !faults.some((fault) => names(entry, fault)));
  if (stale.length > 0) throw new Error(`No fault is named by ${stale.join(' and ')} of equivalents.ts`);
}

function names([start, part, change]: Entry, { path, text, from, to }: Fault): boolean {
  const isThere = typeof part === 'string' ? text.includes(part) : part.test(text);
  return path.startsWith(start) && isThere && change.test(`${from} → ${to}`);
}
