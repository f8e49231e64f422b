import {
  CATEGORIES,
  FREQUENCIES,
  PAYMENT_METHODS,
  STATUSES,
  TRANSACTION_SORT_FIELDS,
  TYPES,
} from '../contract.js';
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

export const type = oneOf(TYPES);

export const category = oneOf(CATEGORIES);

export const status = oneOf(STATUSES);

export const paymentMethod = oneOf(PAYMENT_METHODS);

export const frequency = oneOf(FREQUENCIES);

export const sortBy: Kind = {
  ...oneOf(TRANSACTION_SORT_FIELDS),
  refused: plain(
    ...['""', '"ID"', '"created_at"', '"t.id"', '"date,desc"', '"id; DROP TABLE transactions"', '" date"'],
    ...['"propertyId"', '"propertyName"', '"toString"', '"constructor"', '1', 'true', '["date"]', '{}'],
  ),
};

export const sortDirection: Kind = {
  accepted: plain('"asc"', '"desc"', '"ASC"', '"DESC"', '"Asc"', '"dEsC"'),
  refused: plain(
    '""',
    '"up"',
    '"ascending"',
    '" asc"',
    '"desc "',
    '"asc,desc"',
    '1',
    '-1',
    'true',
    '[]',
    '["asc"]',
    '{}',
  ),
  names: ['asc', 'desc'],
};
