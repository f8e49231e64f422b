import * as contract from '../contract.js';
import { type Kind, plain, quoted } from './kind.js';

export const boolean: Kind = {
  accepted: plain('true', 'false'),
  refused: plain('0', '1', '"true"', '"false"', '""', '[]', '[true]', '{}'),
};

function oneOf(values: readonly string[]): Kind {
  const [some] = values as [string];
  return {
    accepted: values.map((value) => [quoted(value)]),
    refused: [
      ...plain(quoted(some.toLowerCase()), quoted(` ${some}`), quoted(`${some}\n`), '""', '"UNKNOWN"'),
      ...plain('"toString"', '0', 'true', `[${quoted(some)}]`, '{}'),
    ],
    names: values,
  };
}

export const type = oneOf(contract.TYPES);
export const category = oneOf(contract.CATEGORIES);
export const status = oneOf(contract.STATUSES);
export const paymentMethod = oneOf(contract.PAYMENT_METHODS);
export const frequency = oneOf(contract.FREQUENCIES);

export const sortBy: Kind = {
  ...oneOf(contract.TRANSACTION_SORT_FIELDS),
  refused: plain(
    ...['""', '"ID"', '"created_at"', '"t.id"', '"date,desc"', '"id; DROP TABLE transactions"', '" date"'],
    ...['"propertyId"', '"propertyName"', '"toString"', '"constructor"', '1', 'true', '["date"]', '{}'],
  ),
};

export const sortDirection: Kind = {
  accepted: plain('"asc"', '"desc"', '"ASC"', '"dEsC"'),
  refused: plain('""', '"ascending"', '" asc"', '"desc "', '"asc,desc"', '-1', 'true', '["asc"]', '{}'),
  names: ['asc', 'desc'],
};
