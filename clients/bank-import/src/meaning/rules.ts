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
  ...{ account: text, columns: COLUMNS, in: texts, out: texts, everything: direction, negate: flag },
  ...{ owed: flag, creditSign: sign, debitSign: sign, feeSign: sign, feeCategory: category },
  ...{ bothFilled: oneOf('net', 'credit', 'debit'), timeZone: text, encoding: text, cut: oneOf('days') },
  ...{ dateFormat: dateForm, decimal: oneOf('.', ','), separator: oneOf(';', ',', '\t', '|') },
  ...{ currency: text, property: text, otherwise: { INCOME: category, EXPENSE: category } },
  ...{ skip: [SKIP], rules: [RULE] },
};

export type Condition = Of<typeof SKIP> & Of<typeof RANGE>;
export type Rule = Of<typeof RULE>;
export type RulesFile = Of<typeof FILE>;
export type Rules = RulesFile &
  Required<Pick<RulesFile, 'account' | 'dateFormat' | 'skip' | 'rules' | 'otherwise' | 'columns'>>;

/** The content of a rules file, with what the command says in its place. Texts are folded like those of the file. */
export function rulesIn(json: string, own: Pick<RulesFile, 'account' | 'property'>): RulesFile {
  const fold = (_: string, part: unknown): unknown =>
    typeof part === 'string' && part !== '\t' ? folded(part) : part;
  let given: unknown;
  try {
    given = JSON.parse(json.replace(/^\ufeff/, ''), fold);
  } catch (error) {
    throw new Refusal(`${(error as Error).message}; the order is FILE RULES.json`, 2);
  }
  check(given, FILE);
  const rules = given as RulesFile;
  return { ...rules, account: own.account ?? rules.account, property: own.property ?? rules.property };
}

const REQUIRED = 'account, columns.date, columns.description, columns.amount or columns.credit';
/** What keys mean nothing without. */
const NEEDS = {
  ...{ 'columns.credit': 'columns.debit', 'columns.debit': 'columns.credit', bothFilled: 'columns.credit' },
  ...{ 'columns.direction': 'columns.amount', in: 'out, columns.direction', out: 'in, columns.direction' },
  ...{ 'columns.net': 'columns.amount, feeCategory', feeCategory: 'columns.fee or columns.net' },
  ...{ creditSign: 'columns.credit or in', debitSign: 'columns.debit or out', feeSign: 'columns.fee' },
  ...{ everything: 'columns.amount', negate: 'columns.amount' },
};
const EXCLUSIVE = [
  ...[
    ['columns.amount', 'columns.credit'],
    ['columns.fee', 'columns.net'],
    ['everything', 'negate', 'in'],
  ],
];

/** The rules of a file with what its format brings along. Throws a Refusal for what is missing or goes not together. */
export function complete(given: RulesFile, format: RulesFile = {}): Rules {
  const { negate } = given;
  const own = {
    everything: negate === undefined ? (given.everything ?? format.everything) : negate ? 'out' : 'in',
    columns: { ...format.columns, ...given.columns },
    otherwise: { INCOME: 'OTHER_INCOME', EXPENSE: 'OTHER_EXPENSE', ...given.otherwise } as const,
    skip: [...(format.skip ?? []), ...(given.skip ?? [])],
  } as const;
  const rules = { account: '', dateFormat: 'YYYY-MM-DD', rules: [], ...format, ...given, ...own };
  const fault = faultIn(keysOf(given), keysOf(rules), rules);
  if (fault !== undefined) throw new Refusal(fault, 2);
  return rules;
}

function keysOf({ columns: places = {}, ...others }: RulesFile): Set<string> {
  const named = Object.entries(places).map(([name, place]) => [`columns.${name}`, place] as const);
  return new Set([...Object.entries(others), ...named].flatMap(([key, given]) => (given ? [key] : [])));
}

function faultIn(own: Set<string>, all: Set<string>, { skip, rules }: Rules): string | undefined {
  const lacking = (wanted: string): string | undefined =>
    wanted.split(', ').find((want) => !want.split(' or ').some((key) => all.has(key)));
  const missing = lacking(REQUIRED);
  if (missing !== undefined) return `"${missing}" is missing`;
  const unmet = Object.entries(NEEDS).find(([key, wanted]) => own.has(key) && lacking(wanted) !== undefined);
  if (unmet !== undefined) return `"${unmet[0]}" needs ${unmet[1]}`;
  const several = EXCLUSIVE.map((keys) => keys.filter((key) => own.has(key))).find(
    ({ length }) => length > 1,
  );
  if (several !== undefined) return `"${several.join('" and "')}" exclude each other`;
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
