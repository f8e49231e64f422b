import type { Category } from '../../transactions/transaction.enums.js';
import type { TransactionRequest } from '../../transactions/transactions.dto.js';
import { type Bill, type Home, INCIDENTS, MONTHS } from './homes.js';

/** A transaction whose property has no id yet. */
export type Entry = Omit<TransactionRequest, 'propertyId'>;

const DAY = 86_400_000;
const FIRST_ARRIVAL = -364;
const LAST_ARRIVAL = 40;
/** From May to September a night costs a third more. */
const SEASON_FACTOR = 1.35;

const DIRECT = { channel: 'Direct', commission: 0 };
const CHANNELS = [
  { channel: 'Wayfarer Stays', commission: 0.15 },
  { channel: 'Homes & Keys', commission: 0.12 },
  DIRECT,
];

const GUESTS = ['Zoë Lindqvist', 'José Ortega', 'Hannah Price', 'Tomasz Zieliński', 'Amara Okafor', 'Li Wei'];

/** Income and expenses of a home for a year up to `now`, by date; the same for the same moment. */
export function historyOf(home: Home, now: Date): Entry[] {
  const random = mulberry32(home.seed);
  const today = Math.floor(now.getTime() / DAY) * DAY;
  const day = (offset: number, hour = 10): string =>
    new Date(today + offset * DAY + hour * 3_600_000).toISOString();
  const isPast = (instant: string): boolean => instant <= now.toISOString();
  const entries = [
    ...stays(random).flatMap((stay) => bookingEntries(home, stay, random, day, isPast)),
    ...home.bills.flatMap((bill) => invoices(bill, random, now, isPast)),
    ...incidents(day),
  ];
  return entries.sort((a, b) => Date.parse(a.date) - Date.parse(b.date));
}

type Between = (least: number, most: number) => number;
type DayOf = (offset: number, hour?: number) => string;
type IsPast = (instant: string) => boolean;

/** An expense paid on its date, unless the further fields say otherwise. */
function entry(
  category: Category,
  description: string,
  cents: number,
  date: string,
  further: Partial<Entry>,
): Entry {
  return {
    ...{ type: 'EXPENSE', category, description, amount: (cents / 100).toFixed(2), date },
    ...{ subcategory: null, vendor: null, notes: null, receiptUrl: null, paymentReference: null },
    ...{ status: 'PAID', paymentMethod: 'BANK_TRANSFER', paidAt: date, dueDate: null },
    ...{ recurring: false, frequency: null, bookingReference: null, bookingId: null, tags: [], metadata: {} },
    ...further,
  };
}

function unpaid(dueDate: string): Partial<Entry> {
  return { status: 'PENDING', paymentMethod: null, paidAt: null, dueDate };
}

interface Stay {
  readonly index: number;
  /** Days from today. */
  readonly arrival: number;
  readonly nights: number;
  readonly guest: string;
  readonly channel: string;
  readonly commission: number;
}

function stays(random: Between): Stay[] {
  const found: Stay[] = [];
  for (let arrival = FIRST_ARRIVAL; arrival <= LAST_ARRIVAL;) {
    const nights = random(2, 7);
    const guest = GUESTS[random(0, GUESTS.length - 1)] ?? '';
    const channel = CHANNELS[random(0, CHANNELS.length - 1)] ?? DIRECT;
    found.push({ index: found.length, arrival, nights, guest, ...channel });
    arrival += nights + random(0, 5);
  }
  return found;
}

/** Payment, commission, cleaning and deposit of one booking. */
function bookingEntries(home: Home, stay: Stay, random: Between, day: DayOf, isPast: IsPast): Entry[] {
  const { index, arrival, nights, guest, channel, commission } = stay;
  const bookingId = String(home.seed * 1000 + index + 1);
  const [arrived, left] = [day(arrival, 0), day(arrival + nights, 11)];
  const price = priceOf(home, arrived) * nights;
  const booking = { bookingId, bookingReference: `BK-${bookingId}`, tags: ['booking'] };
  const payment = entry('BOOKING_PAYMENT', `${nights} nights, ${guest}`, price, arrived, {
    ...{ ...booking, type: 'INCOME', subcategory: channel, paymentReference: `PAY-${bookingId}` },
    ...{ metadata: { guest, nights: String(nights), channel }, ...outcomeOf(index, arrival, day) },
  });
  if (arrival > 0 || payment.status === 'CANCELLED') return [payment];
  const cleaning = entry('CLEANING', `Cleaning after booking ${bookingId}`, home.cleaning, left, {
    ...{ ...booking, vendor: 'Bright & Clean', paymentMethod: 'ZELLE' },
    ...(isPast(left) ? {} : unpaid(left)),
  });
  const kept = Math.round(price * commission);
  const fee = entry('PLATFORM_FEES', `Commission on booking ${bookingId}`, kept, arrived, {
    ...{ ...booking, vendor: channel, paymentMethod: 'OTHER', notes: 'Kept from the payout' },
  });
  const deposit = entry('SECURITY_DEPOSIT', `Deposit of booking ${bookingId}`, home.deposit, arrived, {
    ...{ ...booking, type: 'INCOME', paymentMethod: 'CREDIT_CARD' },
    ...(isPast(left) ? { status: 'REFUNDED', notes: 'Returned after the departure' } : {}),
  });
  const isCharged = kept > 0 && payment.status === 'PAID';
  return [payment, cleaning, ...(isCharged ? [fee] : []), ...(random(1, 3) === 1 ? [deposit] : [])];
}

/** Every seventeenth booking is cancelled, every twenty-third is paid back, those to come are due. */
function outcomeOf(index: number, arrival: number, day: DayOf): Partial<Entry> {
  if (index % 17 === 16)
    return { status: 'CANCELLED', paymentMethod: null, paidAt: null, notes: 'Cancelled in time' };
  if (arrival > 0) return unpaid(day(arrival - 2));
  return index % 23 === 22 ? { status: 'REFUNDED', notes: 'The heating failed: all paid back' } : {};
}

function priceOf({ property }: Home, arrived: string): number {
  const month = Number(arrived.slice(5, 7));
  return Math.round(Number(property.basePrice) * 100 * (month >= 5 && month <= 9 ? SEASON_FACTOR : 1));
}

/** A year of a bill. One of the present month whose day is still to come is pending. */
function invoices(bill: Bill, random: Between, now: Date, isPast: IsPast): Entry[] {
  const [category, description, vendor, frequency, dayOfMonth, cents, spread = 0] = bill;
  const months = MONTHS[frequency];
  return Array.from({ length: 12 / months }, (_, index) => {
    const date = new Date(
      Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index * months, dayOfMonth, 8),
    ).toISOString();
    const recurring = { vendor, recurring: true, frequency, dueDate: date, tags: ['bill'] };
    const further = isPast(date) ? recurring : { ...recurring, ...unpaid(date) };
    return entry(category, description, cents + random(0, spread), date, further);
  });
}

function incidents(day: DayOf): Entry[] {
  return INCIDENTS.map(([category, description, vendor, cents, offset, { dueIn, ...further }]) =>
    entry(category, description, cents, day(offset), {
      ...{ vendor, type: category === 'OTHER_INCOME' ? 'INCOME' : 'EXPENSE' },
      ...(dueIn === undefined ? {} : unpaid(day(dueIn))),
      ...{ ...further, recurring: further.frequency !== undefined },
    }),
  );
}

/** Whole numbers from `least` to `most`: the same seed gives the same demo. */
function mulberry32(state: number): Between {
  return (least, most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return least + Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * (most - least + 1));
  };
}
