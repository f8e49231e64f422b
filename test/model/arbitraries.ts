import fc, { type Arbitrary } from 'fast-check';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from '../support/contract.js';
import { type BodyChoices, type Choice, PROPERTY, SEARCH_CHOICES, TRANSACTION } from './choices.js';
import type { CallerRef, Command, Query, QueryPart, Ref } from './commands.js';
import { SIGN_UP } from './accounts.js';

/** The first of each choice is the simplest: that is where shrinking ends. */

const caller: Arbitrary<CallerRef> = weighted([
  [30, 'user 0'],
  [20, 'user 1'],
  [12, 'user 2'],
  [26, 'admin'],
  [6, 'signed in'],
  [1, 'nobody'],
  [1, 'forged'],
]);

const index = fc.nat(999);
const key = fc.option(fc.nat(5), { nil: undefined, freq: 2 });
/** Two of those and two more, because creations have soon taken all of theirs. */
const keyOfMany = fc.option(fc.integer({ min: 4, max: 7 }), { nil: undefined, freq: 2 });
const match = fc.nat(999);
const ref: Arbitrary<Ref> = fc.record({
  of: weighted<Ref['of']>([
    [30, 'mine'],
    [5, 'any'],
    [1, 'odd'],
  ]),
  index,
});

/** Mostly right: a body with a fault never comes any further. */
function choices({ right, wrong }: BodyChoices, most: number): Arbitrary<readonly Choice[]> {
  const rightOnes = fc.array(fc.constantFrom(...right), { maxLength: most });
  const wrongOnes = fc.array(fc.constantFrom(...wrong), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 12, arbitrary: rightOnes },
    {
      weight: 1,
      arbitrary: fc.tuple(rightOnes, wrongOnes).map(([some, others]) => [...some, ...others]),
    },
  );
}

function query(fields: readonly string[]): Arbitrary<Query> {
  const part = (name: string, text: string, value?: QueryPart['value']): QueryPart => ({
    name,
    text: `${name}=${text}`,
    ...(value === undefined ? {} : { value }),
  });
  const sorts = fields.flatMap((field) => [
    part('sort', field, [field, 'asc']),
    part('sort', `${field},asc`, [field, 'asc']),
    part('sort', `${field},desc`, [field, 'desc']),
    part('sort', `${field}%2CDESC`, [field, 'desc']),
  ]);
  const pages = [0, 0, 1, 1, 2, 3, 50, 2_147_483_647].map((page) => part('page', String(page), page));
  const sizes = [1, 2, 3, 5, 7, 20, 100].map((size) => part('size', String(size), size));
  const wrong = [
    ...['-1', '2147483648', '1.0', '', 'x', '01', '%2B1'].map((text) => part('page', text)),
    ...['0', '101', '-5', '1e1', '', '99999999999999999999'].map((text) => part('size', text)),
    ...['', 'none', 'id,up', 'Name', 'id,asc,desc', 'version', 'ownerId', '%20id'].map((text) =>
      part('sort', text),
    ),
  ];
  return fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...sorts) },
      { weight: 5, arbitrary: fc.constantFrom(...sizes) },
      { weight: 4, arbitrary: fc.constantFrom(...pages) },
      { weight: 1, arbitrary: fc.constantFrom(part('cursor', '', 0)) },
      { weight: 1, arbitrary: fc.constantFrom(part('other', '1', 1), ...wrong) },
    ),
    { maxLength: 4 },
  );
}

const propertyQuery = query(PROPERTY_SORT_FIELDS);
const transactionQuery = query(TRANSACTION_SORT_FIELDS);
const property = choices(PROPERTY, 8);
const transaction = choices(TRANSACTION, 14);
const newTransaction = fc.record({ property: ref, choices: transaction });
const searched = {
  caller,
  property: fc.option(ref, { nil: undefined, freq: 3 }),
  choices: choices(SEARCH_CHOICES, 5),
};
const op = fc.constant;

const COMMANDS: readonly (readonly [weight: number, Arbitrary<Command>])[] = [
  [110, fc.record({ op: op('createProperty'), caller, choices: property, key })],
  [170, fc.record({ op: op('createTransaction'), caller, property: ref, choices: transaction, key })],
  [50, fc.record({ op: op('property'), caller, id: ref, match })],
  [60, fc.record({ op: op('transaction'), caller, id: ref, match })],
  [70, fc.record({ op: op('putProperty'), caller, id: ref, choices: property, match })],
  [120, fc.record({ op: op('putTransaction'), caller, id: ref, property: ref, choices: transaction, match })],
  [25, fc.record({ op: op('deleteProperty'), caller, id: ref, match })],
  [50, fc.record({ op: op('deleteTransaction'), caller, id: ref, match })],
  [80, fc.record({ op: op('properties'), caller, query: propertyQuery })],
  [15, fc.record({ op: op('exportProperties'), caller, query: propertyQuery, isCsv: fc.boolean() })],
  [80, fc.record({ op: op('transactions'), caller, query: transactionQuery })],
  [70, fc.record({ op: op('transactionsOfProperty'), caller, id: ref, query: transactionQuery })],
  [105, fc.record({ op: op('search'), ...searched })],
  [40, fc.record({ op: op('export'), ...searched, isCsv: fc.boolean() })],
  [35, fc.record({ op: op('repeat'), caller, index })],
  [100, fc.record({ op: op('walkOn'), caller, index })],
  [
    150,
    fc.record({
      op: fc.constantFrom('profitAndLoss', 'profitAndLoss', 'taxYear', 'cashFlow'),
      caller,
      property: fc.option(ref, { nil: undefined, freq: 2 }),
      picks: fc.tuple(index, index, index, index),
    }),
  ],
  [
    30,
    fc.record({
      op: op('batch'),
      caller,
      rows: fc.array(newTransaction, { maxLength: 4 }),
      key: keyOfMany,
    }),
  ],
  [
    60,
    fc.record({
      op: op('import'),
      caller,
      copies: fc.array(ref, { maxLength: 2 }),
      rows: repeated(fc.array(newTransaction, { maxLength: 2 })),
      isCsv: fc.boolean(),
      dryRun: fc.boolean(),
      duplicates: fc.constantFrom('skip', 'allow', 'refuse', undefined),
      key: keyOfMany,
    }),
  ],
  [15, fc.record({ op: op('me'), caller })],
  [10, fc.record({ op: op('users'), caller })],
  [10, fc.record({ op: op('user'), caller, id: ref })],
  [7, fc.record({ op: op('deleteUser'), caller, id: ref })],
  [3, fc.record({ op: op('signUp'), caller, choices: choices(SIGN_UP, 4) })],
  [
    4,
    fc.record({
      op: op('signIn'),
      caller,
      account: index,
      how: weighted([
        [8, 'right'],
        [3, 'right, in capitals'],
        [2, 'wrong password'],
        [1, 'unknown name'],
        [3, 'no password'],
      ] as const),
    }),
  ],
  [15, fc.record({ op: op('otherRoute'), caller, index })],
  [4, fc.record({ op: op('setRole'), account: index, role: fc.constantFrom('USER', 'ADMIN') })],
  [15, fc.record({ op: op('setColumns'), id: ref, index })],
];

export const command: Arbitrary<Command> = fc.oneof(
  ...COMMANDS.map(([weight, arbitrary]) => ({ weight, arbitrary })),
);

/** Some with their first once more at the end, because few would be alike by chance. */
function repeated<T>(rows: Arbitrary<T[]>): Arbitrary<T[]> {
  return fc
    .tuple(rows, fc.boolean())
    .map(([some, isTwice]) => (isTwice ? [...some, ...some.slice(0, 1)] : some));
}

/** As many calls as up to twice the average. */
export function sequence(longest: number): Arbitrary<Command[]> {
  return fc.noBias(fc.array(command, { maxLength: longest, size: 'max' }));
}

function weighted<T>(options: readonly (readonly [number, T])[]): Arbitrary<T> {
  return fc.oneof(...options.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}
