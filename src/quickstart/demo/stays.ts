import type { Calendar } from './calendar.js';
import type { SeededRandom } from './seeded-random.js';
import { type Cents, type Entry, expense, income, unpaid } from './entry.js';
import type { Home } from './homes.js';

/** One booking. Days are told from today. */
interface Stay {
  readonly arrival: number;
  readonly nights: number;
  readonly guest: string;
  readonly channel: Channel;
  readonly bookingId: string;
}

interface Channel {
  readonly name: string;
  readonly commission: number;
  readonly tag: string;
}

const CHANNELS: readonly [Channel, ...Channel[]] = [
  { name: 'Wayfarer Stays', commission: 0.15, tag: 'wayfarer' },
  { name: 'Homes & Keys', commission: 0.12, tag: 'homes-and-keys' },
  { name: 'Direct', commission: 0, tag: 'direct' },
];

const GUESTS = [
  'Zoë Lindqvist',
  'José Ortega',
  'Hannah Price',
  'Tomasz Zieliński',
  'Amara Okafor',
  'Li Wei',
  'Beatrix Müller',
  'Noah Tremblay',
  'Priya Raman',
  'Élise Moreau',
] as const;

const FIRST_ARRIVAL = -364;
const LAST_ARRIVAL = 40;
/** From May to September a night costs a third more. */
const SEASON_FACTOR = 1.35;

/** A year of bookings and the weeks to come, with all that comes with a booking. */
export function entriesOfStays(home: Home, random: SeededRandom, calendar: Calendar): Entry[] {
  return bookings(home, random).flatMap((stay, index) => {
    if (index % 17 === 16) return [cancellation(home, stay, calendar)];
    if (stay.arrival > 0) return [reservation(home, stay, calendar)];
    return [
      ...payment(home, stay, calendar, index),
      cleaning(home, stay, calendar),
      ...extras(home, stay, calendar, random),
    ];
  });
}

function bookings(home: Home, random: SeededRandom): Stay[] {
  const stays: Stay[] = [];
  for (let arrival = FIRST_ARRIVAL; arrival <= LAST_ARRIVAL;) {
    const nights = random.between(2, 7);
    const bookingId = String(home.seed * 1000 + stays.length + 1);
    stays.push({ arrival, nights, guest: random.pick(GUESTS), channel: random.pick(CHANNELS), bookingId });
    arrival += nights + random.between(0, 5);
  }
  return stays;
}

function cancellation(home: Home, stay: Stay, calendar: Calendar): Entry {
  const entry = booking(home, stay, calendar);
  return { ...entry, status: 'CANCELLED', paymentMethod: null, paidAt: null, notes: 'Cancelled in time' };
}

function reservation(home: Home, stay: Stay, calendar: Calendar): Entry {
  return { ...booking(home, stay, calendar), ...unpaid(calendar.day(stay.arrival - 2)) };
}

/** What came in, and what the channel kept of it. Every twenty-third booking was paid back. */
function payment(home: Home, stay: Stay, calendar: Calendar, index: number): Entry[] {
  const paid = booking(home, stay, calendar);
  if (index % 23 === 22) return [{ ...paid, status: 'REFUNDED', notes: 'The heating failed: all paid back' }];
  const { channel, bookingId } = stay;
  if (channel.commission === 0) return [paid];
  const commission = Math.round(priceOf(home, stay, calendar) * channel.commission);
  const description = `Commission on booking ${bookingId}`;
  const further = { ...marks(stay), vendor: channel.name, notes: 'Kept from the payout' };
  return [
    paid,
    expense('PLATFORM_FEES', description, commission, paid.date, { ...further, paymentMethod: 'OTHER' }),
  ];
}

function booking(home: Home, stay: Stay, calendar: Calendar): Entry {
  const { arrival, nights, guest, channel, bookingId } = stay;
  const price = priceOf(home, stay, calendar);
  return income('BOOKING_PAYMENT', `${nights} nights, ${guest}`, price, calendar.day(arrival, 0), {
    ...marks(stay),
    subcategory: channel.name,
    paymentReference: `PAY-${bookingId}`,
    metadata: { guest, nights: String(nights), channel: channel.name },
  });
}

/** The cleaner comes on the day of the departure, which may still be to come. */
function cleaning(home: Home, stay: Stay, calendar: Calendar): Entry {
  const date = calendar.day(stay.arrival + stay.nights, 11);
  return expense('CLEANING', `Cleaning after booking ${stay.bookingId}`, home.cleaning, date, {
    ...marks(stay),
    vendor: 'Bright & Clean',
    paymentMethod: 'ZELLE',
    ...(calendar.isPast(date) ? {} : unpaid(date)),
  });
}

function extras(home: Home, stay: Stay, calendar: Calendar, random: SeededRandom): Entry[] {
  const { arrival, nights, bookingId } = stay;
  const arrived = calendar.day(arrival, 0);
  const left = calendar.day(arrival + nights, 12);
  const card = { ...marks(stay), paymentMethod: 'CREDIT_CARD' } as const;
  const entries: Entry[] = [];
  if (random.oneIn(3)) {
    const deposit = income(
      'SECURITY_DEPOSIT',
      `Deposit of booking ${bookingId}`,
      home.deposit,
      arrived,
      card,
    );
    const returned = { status: 'REFUNDED', notes: 'Returned after the departure' } as const;
    entries.push(calendar.isPast(left) ? { ...deposit, ...returned } : deposit);
  }
  if (random.oneIn(10))
    entries.push(income('ADDITIONAL_GUEST_FEE', 'One guest more', 15_00 * nights, arrived, card));
  if (random.oneIn(8) && calendar.isPast(left))
    entries.push(income('LATE_CHECKOUT_FEE', 'Left at three instead of eleven', 30_00, left, card));
  return entries;
}

/** By which everything about one booking can be found. */
function marks({ bookingId, channel }: Stay): Pick<Entry, 'bookingId' | 'bookingReference' | 'tags'> {
  return { bookingId, bookingReference: `BK-${bookingId}`, tags: ['booking', channel.tag] };
}

function priceOf(home: Home, { arrival, nights }: Stay, calendar: Calendar): Cents {
  const month = Number(calendar.day(arrival).slice(5, 7));
  const factor = month >= 5 && month <= 9 ? SEASON_FACTOR : 1;
  return Math.round(Number(home.property.basePrice) * 100 * factor) * nights;
}
