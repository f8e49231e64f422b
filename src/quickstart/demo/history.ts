import { createHash } from 'node:crypto';
import { defaultsOf } from '../../common/validation/fields.js';
import type { Category } from '../../transactions/transaction.enums.js';
import { TransactionRequest } from '../../transactions/dto/transaction.request.js';
import { BILLS, type Home, INCIDENTS, MONTHS } from './homes.js';

/** A transaction whose property has no id yet. */
export type Entry = Omit<TransactionRequest, 'propertyId'>;

const DAY = 86_400_000;
const FIRST_ARRIVAL = -364;
const LAST_ARRIVAL = 40;

const CHANNELS = [
  { channel: 'Wayfarer Stays', commission: 0.15 },
  { channel: 'Homes & Keys', commission: 0.12 },
  { channel: 'Direct', commission: 0 },
] as const;
const GUESTS = ['Zoë Lindqvist', 'José Ortega', 'Hannah Price', 'Tomasz Zieliński', 'Amara Okafor', 'Li Wei'];

/** Income and expenses of a home for a year up to `now`, by date; the same for the same moment. */
export function historyOf(home: Home, now: Date): Entry[] {
  const year = new Year(home, now);
  const entries = [...year.bookings(), ...year.bills(), ...year.incidents()];
  return entries.sort((a, b) => Date.parse(a.date) - Date.parse(b.date));
}

class Year {
  readonly #random: (least: number, most: number) => number;
  /** Cents of a night. */
  readonly #night: number;

  constructor(
    private readonly home: Home,
    private readonly now: Date,
  ) {
    this.#random = randomOf(home.seed);
    this.#night = Number(home.property.basePrice) * 100;
  }

  bookings(): Entry[] {
    const found: Entry[] = [];
    for (let [arrival, index] = [FIRST_ARRIVAL, 0]; arrival <= LAST_ARRIVAL; index++) {
      const nights = this.#random(2, 7);
      found.push(...this.#booking(index, arrival, nights));
      arrival += nights + this.#random(0, 5);
    }
    return found;
  }

  /** Payment, commission, cleaning and, of every third, a deposit. */
  #booking(index: number, arrival: number, nights: number): Entry[] {
    const guest = GUESTS[this.#random(0, GUESTS.length - 1)] ?? '';
    const { channel, commission } = CHANNELS[this.#random(0, CHANNELS.length - 1)] ?? CHANNELS[2];
    const [arrived, left] = [this.#day(arrival, 0), this.#day(arrival + nights, 11)];
    const price = this.#night * nights;
    const bookingId = String(this.home.seed * 1000 + index + 1);
    const booking = { bookingId, bookingReference: `BK-${bookingId}`, tags: ['booking'] };
    const payment = entry('BOOKING_PAYMENT', `${nights} nights, ${guest}`, price, arrived, {
      ...{ ...booking, type: 'INCOME', subcategory: channel, paymentReference: `PAY-${bookingId}` },
      ...{ metadata: { guest, nights: String(nights), channel }, ...this.#outcome(index, arrival) },
    });
    if (arrival > 0 || payment.status === 'CANCELLED') return [payment];
    const hasLeft = left <= this.now.toISOString();
    const cleaning = entry('CLEANING', `Cleaning after booking ${bookingId}`, this.#night * 0.45, left, {
      ...{ ...booking, vendor: 'Bright & Clean', paymentMethod: 'ZELLE' },
      ...(hasLeft ? {} : unpaid(left)),
    });
    const fee = entry('PLATFORM_FEES', `Commission on booking ${bookingId}`, price * commission, arrived, {
      ...{ ...booking, vendor: channel, paymentMethod: 'OTHER', notes: 'Kept from the payout' },
    });
    const deposit = entry('SECURITY_DEPOSIT', `Deposit of booking ${bookingId}`, this.#night * 1.4, arrived, {
      ...{ ...booking, type: 'INCOME', paymentMethod: 'CREDIT_CARD' },
      ...(hasLeft ? { status: 'REFUNDED', notes: 'Returned after the departure' } : {}),
    });
    return [payment, cleaning, ...(commission > 0 ? [fee] : []), ...(index % 3 === 0 ? [deposit] : [])];
  }

  /** Every seventeenth booking is cancelled, those to come are due. */
  #outcome(index: number, arrival: number): Partial<Entry> {
    if (index % 17 === 16)
      return { status: 'CANCELLED', paymentMethod: null, paidAt: null, notes: 'Cancelled in time' };
    return arrival > 0 ? unpaid(this.#day(arrival - 2)) : {};
  }

  /** A year of each bill. One of the present month whose day is still to come is pending. */
  bills(): Entry[] {
    return BILLS.flatMap(([category, description, vendor, frequency, dayOfMonth, nights]) =>
      Array.from({ length: 12 / MONTHS[frequency] }, (_, index) => {
        const month = this.now.getUTCMonth() - index * MONTHS[frequency];
        const date = new Date(Date.UTC(this.now.getUTCFullYear(), month, dayOfMonth, 8)).toISOString();
        const recurring = { vendor, recurring: true, frequency, dueDate: date, tags: ['bill'] };
        const further = date <= this.now.toISOString() ? recurring : { ...recurring, ...unpaid(date) };
        return entry(category, description, nights * this.#night, date, further);
      }),
    );
  }

  incidents(): Entry[] {
    return INCIDENTS.map(([category, description, vendor, cents, offset, { dueIn, ...further }]) =>
      entry(category, description, cents, this.#day(offset), {
        ...{ vendor, type: category === 'OTHER_INCOME' ? 'INCOME' : 'EXPENSE' },
        ...(dueIn === undefined ? {} : unpaid(this.#day(dueIn))),
        ...{ ...further, recurring: further.frequency !== undefined },
      }),
    );
  }

  #day(offset: number, hour = 10): string {
    const today = Math.floor(this.now.getTime() / DAY) * DAY;
    return new Date(today + offset * DAY + hour * 3_600_000).toISOString();
  }
}

/** An expense paid on its date, unless the further fields say otherwise. */
function entry(
  category: Category,
  description: string,
  cents: number,
  date: string,
  further: Partial<Entry>,
): Entry {
  return {
    ...defaultsOf(TransactionRequest),
    ...{ type: 'EXPENSE', category, description, amount: (Math.round(cents) / 100).toFixed(2), date },
    ...{ status: 'PAID', paymentMethod: 'BANK_TRANSFER', paidAt: date },
    ...further,
  };
}

function unpaid(dueDate: string): Partial<Entry> {
  return { status: 'PENDING', paymentMethod: null, paidAt: null, dueDate };
}

/** Whole numbers from `least` to `most`: the same seed gives the same demo. */
function randomOf(seed: number): (least: number, most: number) => number {
  let drawn = 0;
  return (least, most) => {
    const random = createHash('sha256').update(`${seed}-${drawn++}`).digest().readUInt32BE();
    return least + (random % (most - least + 1));
  };
}
