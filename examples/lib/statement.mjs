import { centsOf } from './money.mjs';

const LEFT_OUT = ['CANCELLED', 'REFUNDED'];

/** Income and expenses of each property, those without transactions included, and of its categories on request. */
export function statementOf(transactions, properties, { byCategory, paidOnly }) {
  const lines = new Map(properties.map(({ id, name }) => [id, newLine({ propertyId: id, property: name })]));
  for (const { propertyId, propertyName, category, type, status, amount } of transactions) {
    if (paidOnly ? status !== 'PAID' : LEFT_OUT.includes(status)) continue;
    if (!lines.has(propertyId)) lines.set(propertyId, newLine({ propertyId, property: propertyName }));
    const line = lines.get(propertyId);
    add(line, type, centsOf(amount));
    if (!byCategory) continue;
    if (!line.categories.has(category)) line.categories.set(category, newLine({ category }));
    add(line.categories.get(category), type, centsOf(amount));
  }
  return [...lines.values()].map(({ categories, ...line }) => ({
    ...line,
    categories: [...categories.values()].sort((one, other) => (one.category < other.category ? -1 : 1)),
  }));
}

export function totalOf(statement) {
  return statement.reduce(
    (total, { income, expenses }) => ({
      income: total.income + income,
      expenses: total.expenses + expenses,
    }),
    { income: 0n, expenses: 0n },
  );
}

function newLine(names) {
  return { ...names, income: 0n, expenses: 0n, categories: new Map() };
}

function add(line, type, cents) {
  line[type === 'INCOME' ? 'income' : 'expenses'] += cents;
}
