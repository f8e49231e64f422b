import type { TransactionCategory } from '../../../typescript/src/public.js';
import { Refusal } from '../faults.js';
import { type Column, folded } from '../reading/table.js';
import { centsOf } from './amounts.js';
import { DATE_FORM } from './days.js';
import { check, kind, type Of, oneOf, severalOf } from './shapes.js';

export const CATEGORIES = (
  'BOOKING_PAYMENT CLEANING_FEE SECURITY_DEPOSIT LATE_CHECKOUT_FEE ADDITIONAL_GUEST_FEE OTHER_INCOME CLEANING ' +
  'MAINTENANCE UTILITIES SUPPLIES INSURANCE MORTGAGE PROPERTY_TAX PLATFORM_FEES MARKETING OTHER_EXPENSE TAXES HOA_FEES ' +
  'REPAIRS FURNISHING PROPERTY_MANAGEMENT PERMITS_LICENSES LEGAL_PROFESSIONAL'
).split(' ') as TransactionCategory[];

const isText = (given: unknown): boolean => typeof given === 'string' && given !== '';
const isColumn = (given: unknown): boolean => isText(given) || (Number.isInteger(given) && Number(given) > 0);
const text = kind<string>(isText, 'a text');
const anyText = kind<string>((given) => typeof given === 'string', 'a text');
const flag = kind<boolean>((given) => typeof given === 'boolean', 'true or false');
const column = kind<Column>(isColumn, 'the name of a column, or its position without quotes');
const columnOrNone = kind<Column | false>((given) => given === false || isColumn(given), 'a column or false');
const amount = kind<string | number>((given) => centsOf(String(given)) !== undefined, 'such as 100.00');
const isForm = (given: unknown): boolean => DATE_FORM.test(String(given));
const dateForm = kind<string>(isForm, 'made of YYYY or YY, MM or MMM, and DD');
const [texts, columns] = [severalOf(text), severalOf(column)];
const category = oneOf(...CATEGORIES);
const [direction, sign] = [oneOf('in', 'out'), oneOf('+', '-')];

const COLUMNS = {
  ...{ date: column, time: column, timeZone: column, credit: column, debit: column, direction: column },
  ...{ amount: columns, fee: columns, net: column, balance: columnOrNone, currency: column, account: column },
  ...{ reference: columnOrNone, description: columns, vendor: column, bookingReference: column },
};
const CONDITION = { contains: text, equals: anyText, column };
const RANGE = { direction, min: amount, max: amount };
/** The rest of the line where neither amount nor column is given. Negative amounts go the other way than the line. */
const PART = { category, amount, column };
const RULE = { ...CONDITION, ...RANGE, category, property: text, transfer: flag, split: [PART] };
const SKIP = { ...CONDITION, zero: flag };
const FILE = {
  ...{ account: text, columns: COLUMNS, in: texts, out: texts, everything: direction },
  ...{ owed: flag, creditSign: sign, debitSign: sign, feeSign: sign, feeCategory: category },
  ...{ bothFilled: oneOf('net', 'credit', 'debit'), timeZone: text, encoding: text, cut: oneOf('days') },
  ...{ dateFormat: dateForm, decimal: oneOf('.', ',') },
  ...{ currency: text, property: text, otherwise: { INCOME: category, EXPENSE: category } },
  ...{ skip: [SKIP], rules: [RULE] },
};

export type Condition = Of<typeof SKIP> & Of<typeof RANGE>;
export type Rule = Of<typeof RULE>;
export type RulesFile = Of<typeof FILE>;
export type Rules = RulesFile &
  Required<Pick<RulesFile, 'account' | 'dateFormat' | 'skip' | 'rules' | 'otherwise' | 'columns'>>;

/** The content of a rules file. Texts are folded like those of the file. */
export function rulesIn(json: string): RulesFile {
  const fold = (_: string, part: unknown): unknown => (typeof part === 'string' ? folded(part) : part);
  let given: unknown;
  try {
    given = JSON.parse(json.replace(/^\ufeff/, ''), fold);
  } catch (error) {
    throw new Refusal(`${(error as Error).message}; the order is FILE RULES.json`, 2);
  }
  check(given, FILE);
  return given as RulesFile;
}

/** The rules of a file with what its format brings along. Throws a Refusal for what is missing. */
export function complete(given: RulesFile, format: RulesFile = {}): Rules {
  const own = {
    columns: { ...format.columns, ...given.columns },
    otherwise: { INCOME: 'OTHER_INCOME', EXPENSE: 'OTHER_EXPENSE', ...given.otherwise } as const,
    skip: [...(format.skip ?? []), ...(given.skip ?? [])],
  } as const;
  const rules = { account: '', dateFormat: 'YYYY-MM-DD', rules: [], ...format, ...given, ...own };
  const fault = faultIn(rules);
  if (fault !== undefined) throw new Refusal(fault, 2);
  return rules;
}

function faultIn({
  account,
  columns: { date, description, amount: single, credit, debit },
  skip,
  rules,
}: Rules) {
  const required = { account, 'columns.date': date, 'columns.description': description };
  const lacking = Object.entries(required).find(([, given]) => (given ?? '') === '');
  if (lacking !== undefined) return `"${lacking[0]}" is missing`;
  if ((single ?? credit ?? debit) === undefined) return '"columns.amount" is missing, or credit and debit';
  if (!skip.every(isCondition)) return 'each entry of skip must have contains, equals with a column, or zero';
  if (rules.every(isRule)) return undefined;
  return 'each entry of rules must have a condition, and one of category, split, transfer';
}

function isCondition({ contains, equals, column: place, zero }: Of<typeof SKIP>): boolean {
  return zero ?? (contains !== undefined || (equals !== undefined && place !== undefined));
}

function isRule({ category: single, split, transfer, ...rule }: Rule): boolean {
  const isRange = [rule.direction, rule.min, rule.max].some((part) => part !== undefined);
  const isTold = rule.column === undefined || (rule.contains ?? rule.equals) !== undefined;
  return (isRange || isCondition(rule)) && isTold && [single, split, transfer].filter(Boolean).length === 1;
}

/** All columns that the rules use: of these the file must have each. */
export function usedColumns({ columns: places = {}, skip = [], rules = [] }: RulesFile): Column[] {
  const conditions = [...skip, ...rules, ...rules.flatMap(({ split = [] }) => split)];
  const used = [...Object.values(places).flat(), ...conditions.map(({ column: place }) => place)];
  return [...new Set(used)].filter((place) => place !== undefined && place !== false);
}
