import { CATEGORIES } from '../transactions/transaction.enums.js';
import { SCHEDULE_E, scheduleELines } from './schedule-e.js';
import { TAX_NOTICE } from './tax-year.response.js';

/** What the API document shows of a report: the examples of single fields would not add up. */

const FIGURES = { refundedIncome: 0, refundedExpenses: 0, depositsReceived: 0, depositsReturned: 0 };
const NAMES = { propertyId: null, propertyName: null, category: null, period: null };
const MARCH = {
  ...FIGURES,
  income: 436.5,
  expenses: 58,
  net: 378.5,
  depositsReceived: 200,
  depositsHeld: 200,
};
const APRIL = { ...FIGURES, income: 883, expenses: 108.25, net: 774.75, depositsHeld: 0 };
const BOTH = {
  ...FIGURES,
  income: 1319.5,
  expenses: 166.25,
  net: 1153.25,
  depositsReceived: 200,
  depositsHeld: 200,
};

export const PROFIT_AND_LOSS = {
  basis: 'accrual',
  timeZone: 'Europe/Lisbon',
  from: '2026-01-01',
  to: '2026-12-31',
  propertyId: null,
  groupBy: ['property', 'month'],
  total: BOTH,
  groups: [
    {
      ...NAMES,
      ...BOTH,
      propertyId: 1,
      propertyName: 'Harbour Loft',
      groups: [
        { ...NAMES, ...MARCH, period: '2026-03' },
        { ...NAMES, ...APRIL, period: '2026-04' },
      ],
    },
  ],
};

export const PROFIT_AND_LOSS_CSV = [
  'line,month,income,expenses,net,refundedIncome,refundedExpenses,depositsReceived,depositsReturned,depositsHeld',
  '"group","2026-03",436.50,58.00,378.50,0.00,0.00,200.00,0.00,200.00',
  '"group","2026-04",883.00,108.25,774.75,0.00,0.00,0.00,0.00,0.00',
  '"total",,1319.50,166.25,1153.25,0.00,0.00,200.00,0.00,200.00',
  '',
].join('\r\n');

const SCHEDULE_E_LINES = scheduleELines('{}');
const LINES = Object.entries(SCHEDULE_E).map(([line, label]) => ({
  line: Number(line),
  label,
  amount: { 3: 436.5, 7: 58 }[line] ?? 0,
  categories: CATEGORIES.filter((category) => SCHEDULE_E_LINES[category] === Number(line)),
}));
const SHEET = {
  lines: LINES,
  totalExpenses: 58,
  net: 378.5,
  apart: [
    {
      category: 'MORTGAGE',
      income: 0,
      expenses: 640.25,
      note: 'Holds interest and principal: the interest alone is deductible, on line 12.',
    },
  ],
};

export const TAX_YEAR = {
  form: 'schedule-e',
  year: 2026,
  basis: 'cash',
  timeZone: 'America/New_York',
  propertyId: null,
  notice: TAX_NOTICE,
  total: SHEET,
  properties: [{ ...SHEET, propertyId: 1, propertyName: 'Harbour Loft' }],
};

const BILL = { vendor: 'City Power', payable: 64.25, receivable: 0 };

export const CASH_FLOW = {
  timeZone: 'Europe/Lisbon',
  from: '2026-02-01',
  to: '2026-02-28',
  months: 1,
  propertyId: null,
  overdue: { payable: 64.25, receivable: 0, vendors: [{ dueOn: '2026-01-14', ...BILL, transactions: 1 }] },
  due: { payable: 0, receivable: 0, vendors: [] },
  upcoming: {
    payable: 64.25,
    receivable: 0,
    occurrences: [
      {
        ...{
          date: '2026-02-28',
          transactionId: 17,
          propertyId: 1,
          propertyName: 'Harbour Loft',
          type: 'EXPENSE',
        },
        ...{ category: 'UTILITIES', frequency: 'MONTHLY', description: 'Electricity', vendor: 'City Power' },
        amount: 64.25,
      },
    ],
  },
};
