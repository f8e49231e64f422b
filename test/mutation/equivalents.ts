import type { Fault } from './faults.js';

/** Faults that change no response: the file, a part of the line, and the replaced text. */
const EQUIVALENT: readonly (readonly [path: string, part: string | RegExp, from: RegExp])[] = [
  // how many rows one INSERT takes; all statements of a file are one transaction
  ['src/transfers/import.service.ts', 'const MOST_AT_ONCE = ', /./],
  // the order of locks; the loser of a deadlock is repeated
  ['src/transfers/owners.ts', 'Number(BigInt(one) - BigInt(other))', /^-/],
  // a string without an escape is the same when escapes are looked for
  ['src/http/json/json-parser.ts', 'return escaped ? this.unescaped(start, end)', /^escaped$/],
  // faulty declarations of our own, which end the start
  ['src/http/fields/fields.ts', 'if (source === undefined) throw new Error(', /./],
  ['src/database/entity-columns.ts', 'if (table === undefined) throw new Error(', /./],
  ['src/database/json-view.ts', '=== 0) throw new Error(', /./],
  ['src/database/json-view.ts', 'if (sql === undefined) throw new Error(', /./],
  // an INSERT of values returns its row, and TypeORM has a runner in a transaction
  ['src/database/owned-rows.ts', 'if (row === undefined) throw new Error(', /./],
  ['src/database/migrate.ts', 'if (queryRunner === undefined) throw new Error(', /./],
  // the owners are all the same one
  ['src/database/owned-rows.ts', "? { id: owners[0] ?? '' }", /^0$/],
  // anything but a number has no text of a number
  ['src/http/fields/values.ts', 'input instanceof JsonNumber ? thousandthsOf', /^input/],
  // the text of null is null
  ['src/reports/reports.service.ts', 'propertyId === null ? null : new JsonText', /^propertyId/],
  // the look-up finds the caller's own property, too
  ['src/properties/properties.service.ts', "scope === 'every-owner' ? (await this.rows.locate(", /^scope/],
  // without an apostrophe nothing is replaced
  ['src/database/csv.ts', `cell.includes("'") ?`, /^cell/],
  // no field has the name of a member of Object.prototype
  ['src/http/fields/fields.pipe.ts', 'Object.hasOwn(source, name) ?', /^Object/],
  // any number names the lock
  ['src/database/migrate.ts', 'const MIGRATION_LOCK', /./],
  // columns of a primary key
  ['migrations/1800000000001-tables.ts', /^ +(?:owner_id|caller_id|id|key) +\w+ +NOT NULL/, /NOT NULL/],
  ['migrations/1800000000001-tables.ts', /^ +property_id {2}bigint NOT NULL/, /NOT NULL/],
];

export function isEquivalent({ path, text, from }: Fault): boolean {
  return EQUIVALENT.some(([file, part, replaced]) => {
    const isThere = typeof part === 'string' ? text.includes(part) : part.test(text);
    return file === path && isThere && replaced.test(from);
  });
}
