import fc, { type Arbitrary } from 'fast-check';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from '../support/contract.js';
import { listing, listOfProperty, search, walkOn } from './lists.js';
import { creating, deleting, reading, repeat, replacing } from './rows.js';
import type { Caller, Kind, Ref, World } from './world.js';

/** The random values of a call; each operation takes what it needs. */
export interface Given {
  readonly id: Ref;
  /** The property of a transaction. */
  readonly place: Ref;
  /** Of If-Match or If-None-Match: a star, or the difference to the version. */
  readonly condition: '*' | 0 | -1 | undefined;
  /** Of the body. */
  readonly seed: number;
  readonly hasKey: boolean;
  readonly sort: Readonly<Record<Kind, readonly string[]>>;
  readonly page: number;
  readonly size: number;
  readonly index: number;
}

type Operation = (world: World, caller: Caller, given: Given) => Promise<void>;

const OPERATIONS: readonly (readonly [weight: number, operation: Operation])[] = [
  [110, creating('properties')],
  [50, reading('properties')],
  [70, replacing('properties')],
  [25, deleting('properties')],
  [80, listing('properties')],
  [170, creating('transactions')],
  [60, reading('transactions')],
  [120, replacing('transactions')],
  [50, deleting('transactions')],
  [80, listing('transactions')],
  [70, listOfProperty],
  [105, search],
  [35, repeat],
  [100, walkOn],
];

const oneOf = <T>(...options: readonly (readonly [weight: number, value: T])[]): Arbitrary<T> =>
  fc.oneof(...options.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const index = fc.nat(999);
const ref: Arbitrary<Ref> = fc.record({
  of: oneOf<Ref['of']>([30, 'mine'], [5, 'any'], [1, 'none']),
  index,
});

function sortOf(fields: readonly string[]): Arbitrary<readonly string[]> {
  const keys = fields.flatMap((field) => [field, `${field},asc`, `${field},desc`, `${field}%2CDESC`]);
  return fc.array(fc.constantFrom(...keys), { maxLength: 3 });
}

const given: Arbitrary<Given> = fc.record({
  id: ref,
  place: ref,
  condition: oneOf<Given['condition']>([4, undefined], [1, '*'], [2, 0], [1, -1]),
  seed: fc.nat(),
  hasKey: fc.boolean(),
  sort: fc.record({
    properties: sortOf(PROPERTY_SORT_FIELDS),
    transactions: sortOf(TRANSACTION_SORT_FIELDS),
  }),
  page: oneOf([6, 0], [2, 1], [1, 2], [1, 3], [1, 50], [1, 2_147_483_647]),
  size: fc.constantFrom(1, 2, 3, 5, 7, 20, 100),
  index,
});

/** A call by any of the callers. A failure loses calls that it does not need, but each stays as it is. */
export const CALL: Arbitrary<fc.AsyncCommand<World, unknown>> = fc.noShrink(
  fc
    .record({ operation: oneOf(...OPERATIONS), caller: oneOf([30, 0], [20, 1], [12, 2], [26, 3]), given })
    .map(({ operation, caller, given: values }) => ({
      check: () => true,
      run: (world) => operation(world, world.callers[caller]!, values),
      toString: () => operation.name, // the transcript has the rest
    })),
);
