import { defaultsOf } from '../../common/validation/fields.js';
import type { Category } from '../../transactions/transaction.enums.js';
import { TransactionRequest } from '../../transactions/dto/transaction.request.js';
import { BILLS, type Home, INCIDENTS, MONTHS } from './homes.js';

/** A transaction whose property has no id yet. */
export type Entry = Omit<TransactionRequest, 'propertyId'>;

const PLATFORM = 'Wayfarer Stays';
const GUESTS = ['Zoë Lindqvist', 'José Ortega', 'Hannah Price', 'Tomasz Zieliński', 'Amara Okafor', 'Li Wei'];

/** Income and expenses of a home for a year up to `now`, by date; the same for the same moment. */
export function historyOf(home: Home, now: Date): Entry[] {
  const entries = [...bookingsOf(home, now), ...billsOf(home, now), ...incidentsUpTo(now)];
  return entries.sort((a, b) => Date.parse(a.date) - Date.parse(b.date));
}

const nightAt = ({ property }: Home): number => Number(property.basePrice);

function bookingsOf(home: Home, now: Date): Entry[] {
  const found: Entry[] = [];
  for (let [arrival, index] = [-364, 0]; arrival <= 40; index++) {
    const nights = 2 + ((index * index + home.seed) % 6);
    found.push(...bookingOf(home, now, index, arrival, nights));
    arrival += nights + ((index * home.seed) % 6);
  }
  return found;
}

/** The payment, and once the guests have come, cleaning and commission. */
function bookingOf(home: Home, now: Date, index: number, arrival: number, nights: number): Entry[] {
  const guest = GUESTS[index % GUESTS.length] ?? '';
  const [arrived, left] = [dayOf(now, arrival, 0), dayOf(now, arrival + nights, 11)];
  const price = nightAt(home) * nights;
  const bookingId = String(home.seed * 1000 + index);
  const booking = { bookingId, bookingReference: `BK-${bookingId}`, tags: ['booking'] };
  const payment = entryOf(now, 'BOOKING_PAYMENT', `${nights} nights, ${guest}`, price, arrived, {
    ...{ ...booking, type: 'INCOME', subcategory: PLATFORM, metadata: { guest } },
  });
  if (arrival > 0) return [payment];
  const cleaner = { ...booking, vendor: 'Bright & Clean' };
  const platform = { ...booking, vendor: PLATFORM, paymentMethod: 'OTHER' } as const;
  const cleaning = `Cleaning after booking ${bookingId}`;
  return [
    payment,
    entryOf(now, 'CLEANING', cleaning, nightAt(home) * 0.45, left, cleaner),
    entryOf(now, 'PLATFORM_FEES', `Commission on ${bookingId}`, price * 0.15, arrived, platform),
  ];
}

/** A year of each bill. */
function billsOf(home: Home, now: Date): Entry[] {
  return BILLS.flatMap(([category, description, vendor, frequency, dayOfMonth, nights]) =>
    Array.from({ length: 12 / MONTHS[frequency] }, (_, index) => {
      const month = now.getUTCMonth() - index * MONTHS[frequency];
      const date = new Date(Date.UTC(now.getUTCFullYear(), month, dayOfMonth, 8)).toISOString();
      const recurring = { vendor, recurring: true, frequency, dueDate: date, tags: ['bill'] };
      return entryOf(now, category, description, nights * nightAt(home), date, recurring);
    }),
  );
}

/** One with a status is unpaid, and due after 30 days, unless it was refunded. */
function incidentsUpTo(now: Date): Entry[] {
  return INCIDENTS.map(([category, description, vendor, amount, day, further]) => {
    const unpaid = { paymentMethod: null, paidAt: null, dueDate: dayOf(now, day + 30) };
    const payment = [undefined, 'REFUNDED'].includes(further.status) ? {} : unpaid;
    return entryOf(now, category, description, amount, dayOf(now, day), { vendor, ...payment, ...further });
  });
}

function dayOf(now: Date, offset: number, hour = 10): string {
  const date = now.getUTCDate() + offset;
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), date, hour)).toISOString();
}

/** An expense paid on its date, or pending when that is still to come, unless the further fields say otherwise. */
function entryOf(
  now: Date,
  category: Category,
  description: string,
  amount: number,
  date: string,
  further: Partial<Entry>,
): Entry {
  return {
    ...defaultsOf(TransactionRequest),
    ...{ type: 'EXPENSE', category, description, amount: amount.toFixed(2), date },
    ...(date <= now.toISOString()
      ? { status: 'PAID', paymentMethod: 'BANK_TRANSFER', paidAt: date }
      : { status: 'PENDING', dueDate: date }),
    ...further,
  };
}
