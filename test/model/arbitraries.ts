import fc, { type Arbitrary } from 'fast-check';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from '../support/contract.js';
import { type BodyChoices, type Choice, PROPERTY, SEARCH_CHOICES, TRANSACTION } from './choices.js';
import {
  type CallerRef,
  type Command,
  type CsvForm,
  type Op,
  type Operations,
  type Query,
  type QueryPart,
  type Ref,
  type Request,
  type Zone,
  ZONES,
} from './commands.js';
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
const newTransaction = { property: ref, choices: transaction };
const newTransactions = (most: number) => fc.array(fc.record(newTransaction), { maxLength: most });
const searched = {
  property: fc.option(ref, { nil: undefined, freq: 3 }),
  choices: choices(SEARCH_CHOICES, 5),
};
const reported = {
  property: fc.option(ref, { nil: undefined, freq: 2 }),
  picks: fc.tuple(index, index, index, index),
};
const form = fc.constantFrom<CsvForm[]>(
  { query: '', separator: ',', decimal: '.' },
  { query: '&separator=;&decimal=,', separator: ';', decimal: ',' },
  { query: '&separator=tab', separator: '\t', decimal: '.' },
);
const asFile = { isCsv: fc.boolean(), form };

/** How often an operation is called, and with what. */
const CALLS: {
  readonly [O in Op]: readonly [
    weight: number,
    fields: { readonly [Name in keyof Operations[O]]: Arbitrary<Operations[O][Name]> },
  ];
} = {
  createProperty: [110, { choices: property, key }],
  createTransaction: [170, { ...newTransaction, key }],
  property: [50, { id: ref, match }],
  transaction: [60, { id: ref, match }],
  putProperty: [70, { id: ref, choices: property, match }],
  putTransaction: [120, { id: ref, ...newTransaction, match }],
  deleteProperty: [25, { id: ref, match }],
  deleteTransaction: [50, { id: ref, match }],
  properties: [80, { query: propertyQuery }],
  exportProperties: [15, { query: propertyQuery, ...asFile }],
  transactions: [80, { query: transactionQuery }],
  transactionsOfProperty: [70, { id: ref, query: transactionQuery }],
  search: [105, searched],
  export: [40, { ...searched, ...asFile }],
  repeat: [35, { index }],
  walkOn: [100, { index }],
  profitAndLoss: [75, reported],
  taxYear: [38, reported],
  cashFlow: [37, reported],
  batch: [30, { rows: newTransactions(4), key: keyOfMany }],
  import: [
    60,
    {
      copies: fc.array(ref, { maxLength: 2 }),
      rows: repeated(newTransactions(2)),
      ...asFile,
      dryRun: fc.boolean(),
      duplicates: fc.constantFrom('skip', 'allow', 'refuse', undefined),
      timeZone: fc.constantFrom(undefined, ...(Object.keys(ZONES) as Zone[])),
      key: keyOfMany,
    },
  ],
  me: [15, {}],
  users: [10, {}],
  user: [10, { id: ref }],
  deleteUser: [7, { id: ref }],
  signUp: [3, { choices: choices(SIGN_UP, 4) }],
  signIn: [
    4,
    {
      account: index,
      how: weighted([
        [8, 'right'],
        [3, 'right, in capitals'],
        [2, 'wrong password'],
        [1, 'unknown name'],
        [3, 'no password'],
      ] as const),
    },
  ],
  otherRoute: [15, { index }],
};

const roles = fc.constantFrom('USER' as const, 'ADMIN' as const);

export const command: Arbitrary<Command> = fc.oneof(
  ...Object.entries(CALLS).map(([op, [weight, fields]]) => ({
    weight,
    arbitrary: fc.record({ op: fc.constant(op), caller, ...fields }) as Arbitrary<Request>,
  })),
  { weight: 4, arbitrary: fc.record({ op: fc.constant('setRole' as const), account: index, role: roles }) },
  { weight: 15, arbitrary: fc.record({ op: fc.constant('setColumns' as const), id: ref, index }) },
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
