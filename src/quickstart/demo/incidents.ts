import type { Calendar } from './calendar.js';
import type { SeededRandom } from './seeded-random.js';
import { type Entry, expense, income, unpaid } from './entry.js';

const YEARLY = { recurring: true, frequency: 'ANNUALLY' } as const;

/** What happens in a year beside bookings and bills: repairs, purchases, a quarrel, an invoice that was forgotten. */
export function incidents(random: SeededRandom, calendar: Calendar): Entry[] {
  return [
    ...upkeep(calendar),
    ...supplies(random, calendar),
    ...openMatters(calendar),
    ...paperwork(calendar),
  ];
}

function upkeep(calendar: Calendar): Entry[] {
  return [
    expense('REPAIRS', 'Dishwasher pump replaced', 184_60, calendar.day(-211), {
      vendor: 'Appliance Doctor',
      paymentMethod: 'DEBIT_CARD',
      receiptUrl: 'https://receipts.example.com/4711',
    }),
    expense('MAINTENANCE', 'Boiler service', 129_00, calendar.day(-96), {
      ...YEARLY,
      vendor: 'Warm Homes',
      paymentMethod: 'CHECK',
    }),
    expense('FURNISHING', 'Two armchairs', 438_00, calendar.day(-158), {
      vendor: 'Chair & Table',
      paymentMethod: 'CREDIT_CARD',
      tags: ['one-off', 'furniture'],
    }),
  ];
}

function supplies(random: SeededRandom, calendar: Calendar): Entry[] {
  return [-330, -270, -210, -150, -90, -30].map((day) =>
    expense('SUPPLIES', 'Soap, coffee, paper towels', random.between(25_00, 65_00), calendar.day(day), {
      vendor: 'Corner Store',
      paymentMethod: 'CASH',
    }),
  );
}

/** Open in every way there is: overdue, past due without being marked so, disputed, and due soon. */
function openMatters(calendar: Calendar): Entry[] {
  return [
    expense('REPAIRS', 'Gutter repaired', 310_00, calendar.day(-48), {
      ...unpaid(calendar.day(-18)),
      status: 'OVERDUE',
      vendor: 'Roof & Gutter',
      notes: 'Reminded once',
    }),
    expense('MARKETING', 'Photographs of the rooms', 275_00, calendar.day(-30), {
      ...unpaid(calendar.day(-2)),
      vendor: 'Studio Lumen',
    }),
    income('OTHER_INCOME', 'Broken window, charged to the guest', 220_00, calendar.day(-25), {
      ...unpaid(calendar.day(5)),
      status: 'DISPUTED',
      notes: 'The guest says that it was broken on arrival',
    }),
    expense('OTHER_EXPENSE', 'Chimney sweep', 85_00, calendar.day(-3), {
      ...unpaid(calendar.day(11)),
      vendor: 'Sweep & Sons',
    }),
  ];
}

function paperwork(calendar: Calendar): Entry[] {
  return [
    expense('PERMITS_LICENSES', 'Short-term rental permit', 150_00, calendar.day(-284), {
      ...YEARLY,
      vendor: 'Town Hall',
      paymentReference: 'PERMIT-FEE',
    }),
    expense('LEGAL_PROFESSIONAL', 'Tax return', 390_00, calendar.day(-127), {
      ...YEARLY,
      vendor: 'Ledger & Partners',
      tags: ['tax'],
    }),
  ];
}
