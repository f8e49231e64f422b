import type { TransactionCategory } from '../../../typescript/src/public.js';
import { Refusal } from '../faults.js';
import { type Column, folded } from '../reading/table.js';
import { centsOf } from './amounts.js';
import { isDateForm } from './days.js';
import { boolean, Fault, listOf, object, type Of, oneOf, oneOrMore, text, value } from './shapes.js';

export const CATEGORIES = (
  'BOOKING_PAYMENT CLEANING_FEE SECURITY_DEPOSIT LATE_CHECKOUT_FEE ADDITIONAL_GUEST_FEE OTHER_INCOME CLEANING ' +
  'MAINTENANCE UTILITIES SUPPLIES INSURANCE MORTGAGE PROPERTY_TAX PLATFORM_FEES MARKETING OTHER_EXPENSE TAXES HOA_FEES ' +
  'REPAIRS FURNISHING PROPERTY_MANAGEMENT PERMITS_LICENSES LEGAL_PROFESSIONAL'
).split(' ') as TransactionCategory[];

const isColumn = (given: unknown): boolean =>
  (typeof given === 'string' && given !== '') || (Number.isInteger(given) && Number(given) > 0);
const column = value<Column>(isColumn, 'the name of a column, or its position without quotes');
const columns = oneOrMore(column);
const columnOrNone = value<Column | false>(
  (given) => given === false || isColumn(given),
  'a column or false',
);
const amount = value<string | number>((given) => centsOf(String(given)) !== undefined, 'such as 100.00');
const dateForm = value<string>((given) => isDateForm(String(given)), 'made of YYYY or YY, MM or MMM, and DD');
const category = oneOf(...CATEGORIES);
const [direction, sign] = [oneOf('in', 'out'), oneOf('+', '-')];

const COLUMNS = {
  ...{ date: column, time: column, timeZone: column, credit: column, debit: column, direction: column },
  ...{ amount: columns, fee: columns, net: column, balance: columnOrNone, currency: column, account: column },
  ...{ reference: columnOrNone, description: columns, vendor: column, bookingReference: column },
};
const anyText = value<string>((given) => typeof given === 'string', 'a text');
const CONDITION = { contains: text, equals: anyText, column };
const RANGE = { direction, min: amount, max: amount };
/** The rest of the line where neither amount nor column is given. Negative amounts go the other way than the line. */
const PART = { category, amount, column };
const OUTCOME = { category, property: text, transfer: boolean, split: listOf(object(PART)) };
const RULE = { ...CONDITION, ...RANGE, ...OUTCOME };
const SKIP = { ...CONDITION, zero: boolean };
const FILE = {
  account: text,
  columns: object(COLUMNS),
  ...{ in: oneOrMore(text), out: oneOrMore(text), everything: direction, negate: boolean, owed: boolean },
  ...{ creditSign: sign, debitSign: sign, feeSign: sign, bothFilled: oneOf('net', 'credit', 'debit') },
  ...{
    feeCategory: category,
    timeZone: text,
    dateFormat: dateForm,
    decimal: oneOf('.', ','),
    encoding: text,
  },
  ...{ separator: oneOf(';', ',', '\t', '|'), currency: text, property: text, cut: oneOf('days') },
  skip: listOf(object(SKIP)),
  rules: listOf(object(RULE)),
  otherwise: object({ INCOME: category, EXPENSE: category }),
};

export type Condition = Of<typeof SKIP> & Of<typeof RANGE>;
export type Rule = Of<typeof RULE>;
type Columns = Of<typeof COLUMNS> & Required<Pick<Of<typeof COLUMNS>, 'date' | 'description'>>;
export type RulesFile = Of<typeof FILE>;
export type Rules = Omit<RulesFile, 'columns'> &
  Required<Pick<RulesFile, 'account' | 'dateFormat' | 'skip' | 'rules'>> & {
    readonly columns: Columns;
    readonly otherwise: Readonly<Record<'INCOME' | 'EXPENSE', TransactionCategory>>;
  };

/** The content of a rules file. Throws a Refusal that says what is wrong with it, and how it should be. */
export function rulesIn(
  file: string,
  json: string,
  { account, property }: Pick<RulesFile, 'account' | 'property'>,
): RulesFile {
  try {
    const given: unknown = JSON.parse(json.replace(/^\ufeff/, ''));
    object(FILE)(given, '');
    const own = given as RulesFile;
    return foldedDeep({ ...own, account: account ?? own.account, property: property ?? own.property });
  } catch (error) {
    if (!(error instanceof Fault) && !(error instanceof SyntaxError)) throw error;
    const hint = error instanceof SyntaxError ? '; the order is FILE RULES.json' : '';
    throw new Refusal(`${file}: ${error.message}${hint}`, 2);
  }
}

/** Texts look for texts of the file, which are folded. */
function foldedDeep<T>(given: T): T {
  if (typeof given === 'string') return (given === '\t' ? given : folded(given)) as T;
  if (Array.isArray(given)) return given.map(foldedDeep) as T;
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, part]) => [name, foldedDeep(part as unknown)]),
  ) as T;
}

/** The rules of a file with what its format brings along. Throws a Refusal for what is missing or goes not together. */
export function complete(file: string, given: RulesFile, format: RulesFile = {}): Rules {
  const columns = { ...format.columns, ...given.columns } as Columns;
  const otherwise = { INCOME: 'OTHER_INCOME', EXPENSE: 'OTHER_EXPENSE', ...given.otherwise } as const;
  const own = { columns, otherwise, skip: [...(format.skip ?? []), ...(given.skip ?? [])] };
  const rules = { account: '', dateFormat: 'YYYY-MM-DD', rules: [], ...format, ...given, ...own };
  const fault = faults(given, rules, columns).find(([isWrong]) => isWrong)?.[1];
  if (fault !== undefined) throw new Refusal(`${file}: ${fault}`, 2);
  return rules;
}

function faults(
  given: RulesFile,
  rules: Rules,
  columns: Of<typeof COLUMNS>,
): [isWrong: boolean, message: string][] {
  const { amount: single, credit, debit, direction, fee, net } = columns;
  const has = (...given: unknown[]): number => given.filter((part) => part !== undefined).length;
  const [sides, words] = [has(credit, debit), has(rules.in, rules.out)];
  const needed = (['date', 'description'] as const).find((name) => columns[name] === undefined);
  return [
    [
      !rules.account,
      '"account" is missing: a name, by which its lines are told from those of other accounts',
    ],
    [needed !== undefined, `columns.${needed ?? ''} is missing`],
    [has(single) + sides === 0 || (sides === 1 && has(single) === 0), NO_AMOUNT],
    [single !== undefined && sides > 0, 'columns must have either amount, or credit and debit'],
    [words > has(direction) * 2 || words === 1, 'columns.direction and its words "in" and "out" go together'],
    [has(rules.everything, rules.negate) > 1, '"everything" and "negate" say the same: give one'],
    [has(direction) > 0 && sides > 0, 'columns.direction goes with columns.amount alone'],
    [has(given.everything, given.negate) > 0 && sides + words > 0, NO_CONVENTION],
    [
      has(rules.creditSign, rules.debitSign) > 0 && sides + words === 0,
      'creditSign and debitSign need columns.credit and debit, or words',
    ],
    [has(rules.bothFilled) > sides, 'bothFilled needs columns.credit and debit'],
    [has(rules.feeSign) > has(fee), 'feeSign needs columns.fee'],
    [has(fee, net) > 1, 'columns must have either fee or net'],
    [has(net) > has(single), 'columns.net goes with columns.amount alone'],
    [has(net) > has(rules.feeCategory), 'feeCategory is missing: columns.net makes the fee a transaction'],
    [has(rules.feeCategory) > has(fee ?? net), 'feeCategory needs columns.fee or columns.net'],
    [!rules.skip.every(isCondition), 'each entry of skip must have contains, equals with a column, or zero'],
    [
      !rules.rules.every(isRule),
      'each entry of rules must have a condition, and one of category, split, transfer',
    ],
  ];
}

const NO_CONVENTION = '"everything" and "negate" are for columns.amount without words or sides';
const NO_AMOUNT = 'columns.amount is missing; for two columns of amounts give credit and debit';

function isCondition({ contains, equals, column: place, zero }: Condition): boolean {
  return zero ?? (contains !== undefined || (equals !== undefined && place !== undefined));
}

function isRule(rule: Rule): boolean {
  const hasCondition =
    isCondition(rule) || [rule.direction, rule.min, rule.max].some((part) => part !== undefined);
  const ends = [rule.category, rule.split, rule.transfer].filter((end) => end !== undefined && end !== false);
  const hasColumn = rule.column === undefined || rule.contains !== undefined || rule.equals !== undefined;
  return hasCondition && hasColumn && ends.length === 1;
}

/** All columns that the rules use: of these the file must have each. */
export function usedColumns({ columns, skip = [], rules = [] }: RulesFile): Column[] {
  const own = Object.values(columns ?? {})
    .flat()
    .filter((name): name is Column => name !== false);
  const parts = rules.flatMap(({ split = [] }) => split);
  const others = [...skip, ...rules, ...parts].flatMap(({ column: name }) =>
    name === undefined ? [] : [name],
  );
  return [...new Set([...own, ...others])];
}
