import type { TransactionCategory } from '../../../typescript/src/public.js';
import { Refusal } from '../faults.js';
import { type Column, folded } from '../reading/table.js';
import { centsOf } from './amounts.js';
import { check, kind, type Of, oneOf, severalOf } from './shapes.js';

const isText = (given: unknown): boolean => typeof given === 'string' && given !== '';
const isColumn = (given: unknown): boolean => isText(given) || (Number.isInteger(given) && Number(given) > 0);
const text = kind<string>(isText, 'a text');
const anyText = kind<string>((given) => typeof given === 'string', 'a text');
const flag = kind<boolean>((given) => typeof given === 'boolean', 'true or false');
const column = kind<Column>(isColumn, 'the name of a column, or its position without quotes');
const columnOrNone = kind<Column | false>((given) => given === false || isColumn(given), 'a column or false');
const amount = kind<string | number>((given) => centsOf(String(given)) !== undefined, 'such as 100.00');
const [texts, columns] = [severalOf(text), severalOf(column)];
/** The service refuses those that it does not know. */
const category = kind<TransactionCategory>(isText, 'a category');
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
  ...{ dateFormat: text, decimal: oneOf('.', ',') },
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
  const { date, description, amount: single, credit, debit } = rules.columns;
  const required = {
    ...{ account: rules.account, 'columns.date': date, 'columns.description': description },
    'columns.amount or columns.credit': single ?? credit ?? debit,
  };
  const lacking = Object.entries(required).find(([, place]) => (place ?? '') === '');
  if (lacking !== undefined) throw new Refusal(`"${lacking[0]}" is missing`, 2);
  if (!rules.skip.every(isCondition))
    throw new Refusal('each entry of skip must have contains, equals with a column, or zero', 2);
  if (!rules.rules.every(isRule))
    throw new Refusal('each entry of rules must have a condition, and one of category, split, transfer', 2);
  return rules;
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
