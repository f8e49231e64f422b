import { type Kind, NO_NUMBER, plain } from './kind.js';

export function int32(min: number, max: number): Kind {
  return {
    accepted: [[`${min}`], [`${max}`], [`${min}.0`, `${min}`], [`${max}.000`, `${max}`]],
    refused: [
      ...NO_NUMBER,
      ...plain(`${min - 1}`, `${max + 1}`, `${max}.5`, '0.5', '1e-1', '1e400', '-1e400', '1e-400'),
      ...plain('2147483648', '4294967297', '18446744073709551617'),
    ],
  };
}

const NO_INT64 = [
  ...NO_NUMBER,
  ...plain('9223372036854775808', '-9223372036854775809', '9223372036854775807.5', '18446744073709551617'),
  ...plain('1.5', '1e-1', '1e400', '-1e400', '1e-400'),
];

export const int64: Kind = {
  accepted: [
    ...plain('0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993'),
    ['1.0', '1'],
    ['-0', '0'],
  ],
  refused: NO_INT64,
};

/** An id: what is accepted depends on what there is. */
export const reference: Kind = { accepted: [], refused: NO_INT64 };

const NO_MONEY = [
  ...NO_NUMBER,
  ...plain('-0.01', '-1e400', '1e400', '1e999999999999', '1e-400', '1e-3', '0.001', '0.015', '1.999'),
  ...plain('100000000000000000', '1e17', '99999999999999999.991'),
];

export const amount: Kind = {
  accepted: [
    ...plain('0.01', '99999999999999999.99', '90071992547409.93', '1.10'),
    ['1', '1.00'],
    ['1.100', '1.10'],
    ['1E+2', '100.00'],
    ['1.5e1', '15.00'],
    ['9999999999999999999e-2', '99999999999999999.99'],
    ['9007199254740993', '9007199254740993.00'],
  ],
  refused: [...NO_MONEY, ...plain('0', '-0', '0.00', '0e5', '99999999999999999.995')],
};

export const price: Kind = {
  accepted: [
    ...plain('0.00', '99999999.99', '1.10'),
    ['-0', '0.00'],
    ['1e2', '100.00'],
    ['9.999999999E7', '99999999.99'],
  ],
  refused: [...NO_MONEY, ...plain('100000000', '1e8', '99999999.991', '99999999999999999.99')],
};

/** A bound of a search: any number at all. */
export const anyNumber: Kind = {
  accepted: plain('-0', '-1', '1.10', '0.001', '1e2', '1e400', '-1e400', '1e-400', `1.${'3'.repeat(1000)}`),
  refused: NO_NUMBER,
};

export const page: Kind = {
  accepted: [['0'], ['7'], ['2147483647'], ['1.0', '1'], ['-0', '0']],
  refused: [...NO_NUMBER, ...plain('-1', '2147483648', '0.5', '1e400', '4294967296')],
};

export const size = int32(1, 100);
