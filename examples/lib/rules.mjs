const KEYS = 'columns rules skip otherwise property currency dateFormat decimal encoding'.split(' ');
const COLUMNS = 'date amount credit debit fee currency description vendor'.split(' ');
const CATEGORIES = { INCOME: 'OTHER_INCOME', EXPENSE: 'OTHER_EXPENSE' };

/** The content of a rules file. Throws an Error that says what is wrong with it, and how it should be. */
export function readRules(text) {
  const given = anObject('the whole', JSON.parse(text));
  onlyKnown('the whole', given, KEYS);
  for (const key of ['property', 'currency', 'dateFormat', 'decimal', 'encoding'])
    optionalText(key, given[key]);
  const otherwise = anObject('otherwise', given.otherwise ?? {});
  onlyKnown('otherwise', otherwise, Object.keys(CATEGORIES));
  return {
    ...given,
    columns: columnsIn(given.columns),
    rules: listOf('rules', given.rules).map((rule) => {
      if (typeof rule.contains !== 'string' || typeof rule.category !== 'string')
        throw new Error('each of rules has the texts "contains" and "category"');
      optionalText('property', rule.property);
      return rule;
    }),
    skip: listOf('skip', given.skip).map(checkedSkip),
    otherwise: { ...CATEGORIES, ...otherwise },
  };
}

function columnsIn(given) {
  const columns = anObject('columns', given);
  onlyKnown('columns', columns, COLUMNS);
  for (const [name, column] of Object.entries(columns)) {
    const isText = name === 'description' ? [column].flat().every(isName) : isName(column);
    if (!isText) throw new Error(`columns.${name} is no name of a column`);
  }
  for (const name of ['date', 'description'])
    if (columns[name] === undefined) throw new Error(`columns.${name} is missing`);
  const { amount, credit, debit } = columns;
  if (amount === undefined && (credit === undefined || debit === undefined))
    throw new Error('columns.amount is missing; a bank that has two columns of amounts has credit and debit');
  if (amount !== undefined && (credit ?? debit) !== undefined)
    throw new Error('columns has either amount, or credit and debit');
  return columns;
}

function checkedSkip(rule) {
  const { contains, equals, column, zero } = rule;
  const isZero = zero === true && Object.keys(rule).length === 1;
  const isText = isName(contains) || (typeof equals === 'string' && isName(column));
  if (isZero || (isText && (column === undefined || isName(column)))) return rule;
  throw new Error('each of skip is {"contains": TEXT}, {"column": NAME, "equals": TEXT} or {"zero": true}');
}

function listOf(name, value = []) {
  if (!Array.isArray(value)) throw new Error(`${name} is no list`);
  return value.map((item) => anObject(`each of ${name}`, item));
}

function anObject(name, value) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error(`${name} has to be an object, {…}`);
}

function onlyKnown(name, object, known) {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`${name} has "${unknown}", and knows ${known.join(', ')} only`);
}

function optionalText(name, value) {
  if (value !== undefined && typeof value !== 'string') throw new Error(`${name} is no text`);
}

function isName(value) {
  return typeof value === 'string' && value !== '';
}
