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
  const year = new Year(home, now);
  const entries = [...year.bookings(), ...year.bills(), ...year.incidents()];
  return entries.sort((a, b) => Date.parse(a.date) - Date.parse(b.date));
}

class Year {
  readonly #night: number;

  constructor(
    private readonly home: Home,
    private readonly now: Date,
  ) {
    this.#night = Number(home.property.basePrice);
  }

  bookings(): Entry[] {
    const found: Entry[] = [];
    for (let [arrival, index] = [-364, 0]; arrival <= 40; index++) {
      const nights = 2 + ((index * index + this.home.seed) % 6);
      found.push(...this.#booking(index, arrival, nights));
      arrival += nights + ((index * this.home.seed) % 6);
    }
    return found;
  }

  /** The payment, and once the guests have come, cleaning and commission. */
  #booking(index: number, arrival: number, nights: number): Entry[] {
    const guest = GUESTS[index % GUESTS.length] ?? '';
    const [arrived, left] = [this.#day(arrival, 0), this.#day(arrival + nights, 11)];
    const price = this.#night * nights;
    const bookingId = String(this.home.seed * 1000 + index);
    const booking = { bookingId, bookingReference: `BK-${bookingId}`, tags: ['booking'] };
    const payment = this.#entry('BOOKING_PAYMENT', `${nights} nights, ${guest}`, price, arrived, {
      ...{ ...booking, type: 'INCOME', subcategory: PLATFORM, metadata: { guest } },
    });
    if (arrival > 0) return [payment];
    const cleaner = { ...booking, vendor: 'Bright & Clean' };
    const platform = { ...booking, vendor: PLATFORM, paymentMethod: 'OTHER' } as const;
    return [
      payment,
      this.#entry('CLEANING', `Cleaning after booking ${bookingId}`, this.#night * 0.45, left, cleaner),
      this.#entry('PLATFORM_FEES', `Commission on ${bookingId}`, price * 0.15, arrived, platform),
    ];
  }

  /** A year of each bill. */
  bills(): Entry[] {
    return BILLS.flatMap(([category, description, vendor, frequency, dayOfMonth, nights]) =>
      Array.from({ length: 12 / MONTHS[frequency] }, (_, index) => {
        const month = this.now.getUTCMonth() - index * MONTHS[frequency];
        const date = new Date(Date.UTC(this.now.getUTCFullYear(), month, dayOfMonth, 8)).toISOString();
        const recurring = { vendor, recurring: true, frequency, dueDate: date, tags: ['bill'] };
        return this.#entry(category, description, nights * this.#night, date, recurring);
      }),
    );
  }

  /** One with a status is unpaid, and due after 30 days, unless it was refunded. */
  incidents(): Entry[] {
    return INCIDENTS.map(([category, description, vendor, amount, day, further]) => {
      const unpaid = { paymentMethod: null, paidAt: null, dueDate: this.#day(day + 30) };
      const payment = [undefined, 'REFUNDED'].includes(further.status) ? {} : unpaid;
      return this.#entry(category, description, amount, this.#day(day), { vendor, ...payment, ...further });
    });
  }

  #day(offset: number, hour = 10): string {
    const date = this.now.getUTCDate() + offset;
    return new Date(Date.UTC(this.now.getUTCFullYear(), this.now.getUTCMonth(), date, hour)).toISOString();
  }

  /** An expense paid on its date, or pending when that is still to come, unless the further fields say otherwise. */
  #entry(
    category: Category,
    description: string,
    amount: number,
    date: string,
    further: Partial<Entry>,
  ): Entry {
    return {
      ...defaultsOf(TransactionRequest),
      ...{ type: 'EXPENSE', category, description, amount: amount.toFixed(2), date },
      ...(date <= this.now.toISOString()
        ? { status: 'PAID', paymentMethod: 'BANK_TRANSFER', paidAt: date }
        : { status: 'PENDING', dueDate: date }),
      ...further,
    };
  }
}
