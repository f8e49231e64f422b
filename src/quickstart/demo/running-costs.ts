import type { Frequency } from '../../transactions/transaction.enums.js';
import type { Calendar } from './calendar.js';
import type { SeededRandom } from './seeded-random.js';
import { type Cents, type Entry, expense, unpaid } from './entry.js';
import type { Home } from './homes.js';

/** A bill that comes again and again. */
interface Bill {
  readonly category: Entry['category'];
  readonly description: string;
  readonly vendor: string;
  readonly amount: (month: number) => Cents;
  readonly rhythm: Rhythm;
  readonly dayOfMonth: number;
  readonly subcategory?: string;
}

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
  return [...utilities(random), ...ownership(home), ...services(home)].flatMap((bill) =>
    Array.from({ length: 12 / bill.rhythm.months }, (_, index) =>
      invoice(bill, index * bill.rhythm.months, calendar),
    ),
  );
}

function invoice(bill: Bill, monthsAgo: number, calendar: Calendar): Entry {
  const date = calendar.dayOfMonth(monthsAgo, bill.dayOfMonth);
  const month = Number(date.slice(5, 7));
  return expense(bill.category, bill.description, bill.amount(month), date, {
    subcategory: bill.subcategory ?? null,
    vendor: bill.vendor,
    recurring: true,
    frequency: bill.rhythm.frequency,
    dueDate: date,
    tags: ['bill'],
    ...(calendar.isPast(date) ? {} : unpaid(date)),
  });
}

function utilities(random: SeededRandom): Bill[] {
  const utility = { category: 'UTILITIES', rhythm: MONTHLY } as const;
  const isWinter = (month: number): boolean => month <= 3 || month >= 11;
  return [
    {
      ...utility,
      description: 'Electricity',
      subcategory: 'electricity',
      vendor: 'Northern Power',
      amount: (month) => (isWinter(month) ? 118_00 : 64_00) + random.between(0, 25_00),
      dayOfMonth: 5,
    },
    {
      ...utility,
      description: 'Water and sewage',
      subcategory: 'water',
      vendor: 'City Water',
      amount: () => 38_00 + random.between(0, 15_00),
      dayOfMonth: 12,
    },
    {
      ...utility,
      description: 'Internet',
      subcategory: 'internet',
      vendor: 'Fibre One',
      amount: () => 49_90,
      dayOfMonth: 20,
    },
  ];
}

function ownership({ mortgage, insurance, propertyTax }: Home): Bill[] {
  return [
    {
      category: 'MORTGAGE',
      description: 'Mortgage instalment',
      vendor: mortgage.lender,
      amount: () => mortgage.amount,
      rhythm: MONTHLY,
      dayOfMonth: 1,
    },
    {
      category: 'INSURANCE',
      description: 'Building and liability insurance',
      vendor: 'Lighthouse Mutual',
      amount: () => insurance,
      rhythm: ANNUALLY,
      dayOfMonth: 3,
    },
    {
      category: 'PROPERTY_TAX',
      description: 'Property tax, half a year',
      vendor: 'County Treasurer',
      amount: () => propertyTax / 2,
      rhythm: SEMI_ANNUALLY,
      dayOfMonth: 15,
    },
    {
      category: 'TAXES',
      description: 'Occupancy tax of the quarter',
      vendor: 'County Treasurer',
      amount: () => propertyTax / 10,
      rhythm: QUARTERLY,
      dayOfMonth: 10,
    },
  ];
}

/** Nothing for a home that has no such costs. */
function services({ hoaFee, management }: Home): Bill[] {
  const bills: Bill[] = [];
  const monthly = { rhythm: MONTHLY, dayOfMonth: 2 };
  if (hoaFee !== undefined) {
    const vendor = 'Old Mill Owners';
    const description = 'Owners’ association';
    bills.push({ ...monthly, category: 'HOA_FEES', description, vendor, amount: () => hoaFee });
  }
  if (management !== undefined) {
    const { amount, company: vendor } = management;
    const description = 'Caretaking';
    bills.push({
      ...monthly,
      category: 'PROPERTY_MANAGEMENT',
      description,
      vendor,
      amount: () => amount,
    });
  }
  return bills;
}
