import type { Frequency } from '../../transactions/transaction.enums.js';
import type { Calendar } from './calendar.js';
import type { SeededRandom } from './seeded-random.js';
import { type Cents, type Entry, expense, unpaid } from './entry.js';
import type { Home } from './homes.js';

/** A bill that comes again and again. */
type Bill = readonly [
  category: Entry['category'],
  description: string,
  vendor: string,
  rhythm: Rhythm,
  dayOfMonth: number,
  amount: (month: number) => Cents,
  subcategory?: string,
];

interface Rhythm {
  readonly frequency: Frequency;
  readonly months: number;
}

const MONTHLY: Rhythm = { frequency: 'MONTHLY', months: 1 };
const QUARTERLY: Rhythm = { frequency: 'QUARTERLY', months: 3 };
const SEMI_ANNUALLY: Rhythm = { frequency: 'SEMI_ANNUALLY', months: 6 };
const ANNUALLY: Rhythm = { frequency: 'ANNUALLY', months: 12 };

/** A year of bills. Those of the present month whose day is still to come are pending. */
export function runningCosts(home: Home, random: SeededRandom, calendar: Calendar): Entry[] {
  return [...utilities(random), ...ownership(home), ...services(home)].flatMap((bill) => {
    const [, , , { months }] = bill;
    return Array.from({ length: 12 / months }, (_, index) => invoice(bill, index * months, calendar));
  });
}

function invoice(bill: Bill, monthsAgo: number, calendar: Calendar): Entry {
  const [category, description, vendor, { frequency }, dayOfMonth, amount, subcategory = null] = bill;
  const date = calendar.dayOfMonth(monthsAgo, dayOfMonth);
  const month = Number(date.slice(5, 7));
  return expense(category, description, amount(month), date, {
    subcategory,
    vendor,
    recurring: true,
    frequency,
    dueDate: date,
    tags: ['bill'],
    ...(calendar.isPast(date) ? {} : unpaid(date)),
  });
}

function utilities(random: SeededRandom): Bill[] {
  const isWinter = (month: number): boolean => month <= 3 || month >= 11;
  const electricity = (month: number): Cents => (isWinter(month) ? 118_00 : 64_00) + random.between(0, 25_00);
  const water = (): Cents => 38_00 + random.between(0, 15_00);
  return [
    ['UTILITIES', 'Electricity', 'Northern Power', MONTHLY, 5, electricity, 'electricity'],
    ['UTILITIES', 'Water and sewage', 'City Water', MONTHLY, 12, water, 'water'],
    ['UTILITIES', 'Internet', 'Fibre One', MONTHLY, 20, () => 49_90, 'internet'],
  ];
}

function ownership({ mortgage, insurance, propertyTax: tax }: Home): Bill[] {
  const treasurer = 'County Treasurer';
  return [
    ['MORTGAGE', 'Mortgage instalment', mortgage.lender, MONTHLY, 1, () => mortgage.amount],
    ['INSURANCE', 'Building and liability insurance', 'Lighthouse Mutual', ANNUALLY, 3, () => insurance],
    ['PROPERTY_TAX', 'Property tax, half a year', treasurer, SEMI_ANNUALLY, 15, () => tax / 2],
    ['TAXES', 'Occupancy tax of the quarter', treasurer, QUARTERLY, 10, () => tax / 10],
  ];
}

/** Nothing for a home that has no such costs. */
function services({ hoaFee, management }: Home): Bill[] {
  const bills: Bill[] = [];
  if (hoaFee !== undefined)
    bills.push(['HOA_FEES', 'Owners’ association', 'Old Mill Owners', MONTHLY, 2, () => hoaFee]);
  if (management !== undefined) {
    const { amount, company } = management;
    bills.push(['PROPERTY_MANAGEMENT', 'Caretaking', company, MONTHLY, 2, () => amount]);
  }
  return bills;
}
