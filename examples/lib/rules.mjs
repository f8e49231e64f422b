import { CATEGORIES } from './categories.mjs';

const TEXTS = ['property', 'currency', 'dateFormat', 'decimal', 'encoding'];
const KEYS = ['columns', 'rules', 'skip', 'otherwise', 'in', 'out', 'negate', 'feeCategory', ...TEXTS];
const COLUMNS = 'date amount credit debit direction fee net currency description vendor'.split(' ');
/** Columns that may be several: texts that are joined, and amounts of which the first that is not empty counts. */
const LISTS = ['description', 'amount'];
const OTHERWISE = { INCOME: 'OTHER_INCOME', EXPENSE: 'OTHER_EXPENSE' };

/** The content of a rules file. Throws an Error that says what is wrong with it, and how it should be. */
export function readRules(text) {
  const given = anObject('the file', JSON.parse(text));
  onlyKnown('the file', given, KEYS);
  for (const key of TEXTS) optionalText(key, given[key]);
  if (given.negate !== undefined && typeof given.negate !== 'boolean')
    throw new Error('negate must be true or false');
  const otherwise = anObject('otherwise', given.otherwise ?? {});
  onlyKnown('otherwise', otherwise, Object.keys(OTHERWISE));
  const categories = { ...OTHERWISE, ...otherwise };
  const rules = listOf('rules', given.rules).map(checkedRule);
  for (const category of [
    ...Object.values(categories),
    given.feeCategory,
    ...rules.map((rule) => rule.category),
  ])
    checkCategory(category);
  const columns = columnsIn(given.columns);
  checkFee(columns, given.feeCategory);
  return {
    ...given,
    columns,
    rules,
    ...wordsIn(given, columns),
    skip: listOf('skip', given.skip).map(checkedSkip),
    otherwise: categories,
  };
}

function checkedRule(rule) {
  if (typeof rule.contains !== 'string' || typeof rule.category !== 'string')
    throw new Error('each entry of rules must have the texts "contains" and "category"');
  optionalText('property', rule.property);
  return rule;
}

function checkCategory(category) {
  if (category !== undefined && !CATEGORIES.includes(category))
    throw new Error(`"${category}" is not a category; the categories are ${CATEGORIES.join(', ')}`);
}

function columnsIn(given) {
  const columns = anObject('columns', given);
  onlyKnown('columns', columns, COLUMNS);
  for (const [name, column] of Object.entries(columns)) {
    const isColumn = LISTS.includes(name) ? [column].flat().every(isColumnName) : isColumnName(column);
    if (!isColumn) throw new Error(`columns.${name} must be the name or the position of a column`);
  }
  if (
    new Set(
      Object.values(columns)
        .flat()
        .map((column) => typeof column),
    ).size > 1
  )
    throw new Error('columns must be all names or, for a file without a header line, all positions');
  for (const name of ['date', 'description'])
    if (columns[name] === undefined) throw new Error(`columns.${name} is missing`);
  const { amount, credit, debit } = columns;
  if (amount === undefined && (credit === undefined || debit === undefined))
    throw new Error('columns.amount is missing; for two columns of amounts give credit and debit');
  if (amount !== undefined && (credit ?? debit) !== undefined)
    throw new Error('columns must have either amount, or credit and debit');
  return columns;
}

function checkFee({ fee, net }, feeCategory) {
  if (fee !== undefined && net !== undefined) throw new Error('columns must have either fee or net');
  if (net !== undefined && feeCategory === undefined)
    throw new Error('feeCategory is missing: columns.net makes the fee a transaction of its own');
  if (feeCategory !== undefined && (fee ?? net) === undefined)
    throw new Error('feeCategory needs columns.fee or columns.net');
}

/** The words for the two directions, each a list of lower-case texts. */
function wordsIn(given, { direction }) {
  const [ins, outs] = ['in', 'out'].map((name) => [given[name] ?? []].flat());
  if (direction === undefined && ins.length + outs.length === 0) return {};
  const isComplete = [ins, outs].every((words) => words.length > 0 && words.every(isName));
  if (direction === undefined || !isComplete)
    throw new Error('columns.direction and the words "in" and "out" must be given together');
  return { in: ins.map(lowerCase), out: outs.map(lowerCase) };
}

function lowerCase(text) {
  return text.toLowerCase();
}

function checkedSkip(rule) {
  const { contains, equals, column, zero } = rule;
  const isZero = zero === true && Object.keys(rule).length === 1;
  const isText = isName(contains) || (typeof equals === 'string' && isColumnName(column));
  if (isZero || (isText && (column === undefined || isColumnName(column)))) return rule;
  throw new Error(
    'each entry of skip must be {"contains": TEXT}, {"column": NAME, "equals": TEXT} or {"zero": true}',
  );
}

function listOf(name, value = []) {
  if (!Array.isArray(value)) throw new Error(`${name} must be a list`);
  return value.map((item) => anObject(`each entry of ${name}`, item));
}

function anObject(name, value) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error(`${name} must be an object, {…}`);
}

function onlyKnown(name, object, known) {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new Error(`${name} has the unknown "${unknown}"; known are ${known.join(', ')}`);
}

function optionalText(name, value) {
  if (value !== undefined && typeof value !== 'string') throw new Error(`${name} must be a text`);
}

function isName(value) {
  return typeof value === 'string' && value !== '';
}

function isColumnName(value) {
  return isName(value) || (Number.isInteger(value) && value > 0);
}
