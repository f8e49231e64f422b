import { defaultsOf } from '../../common/validation/fields.js';
import { PropertyRequest } from '../../properties/dto/property.request.js';
import type { Category } from '../../transactions/transaction.enums.js';
import type { TransactionRequest } from '../../transactions/dto/transaction.request.js';

/** Its owner, a number that gives it a history of its own, name, address, price of a night, and room. */
type Row = readonly [
  ...[owner: 'olivia' | 'marco', seed: number, name: string, address: string, basePrice: string],
  ...[maxGuests: number, bedrooms: number, bathrooms: number],
];

const ROWS: readonly Row[] = [
  ['olivia', 11, 'Seaside Cottage', '1 Harbour Road, Port Ellery', '145.00', 4, 2, 1],
  ['olivia', 23, 'Old Mill Loft', '22 Weaver Street, Apartment 9, Millbrook', '98.50', 2, 1, 1],
  ['marco', 37, 'Pine Ridge Lodge', '480 Forest Track, Highfield', '260.00', 10, 5, 3],
];

export type Home = (typeof HOMES)[number];
export const HOMES = ROWS.map(([owner, seed, name, address, basePrice, maxGuests, bedrooms, bathrooms]) => {
  const property = { name, address, basePrice, maxGuests, bedrooms, bathrooms, active: true };
  return { owner, seed, property: { ...defaultsOf(PropertyRequest), ...property } };
});

export const MONTHS = { MONTHLY: 1, QUARTERLY: 3, SEMI_ANNUALLY: 6, ANNUALLY: 12 } as const;
type Frequency = keyof typeof MONTHS;

/** A bill that recurs for a year, due on a day of the month; its amount is in nights. */
type Bill = readonly [Category, what: string, vendor: string, Frequency, dayOfMonth: number, nights: number];

export const BILLS: readonly Bill[] = [
  ['UTILITIES', 'Electricity', 'Northern Power', 'MONTHLY', 5, 0.8],
  ['UTILITIES', 'Water and sewage', 'City Water', 'MONTHLY', 12, 0.3],
  ['UTILITIES', 'Internet', 'Fibre One', 'MONTHLY', 20, 0.35],
  ['MORTGAGE', 'Mortgage instalment', 'Harbour Building Society', 'MONTHLY', 1, 6.5],
  ['INSURANCE', 'Building and liability insurance', 'Lighthouse Mutual', 'ANNUALLY', 3, 4.7],
  ['PROPERTY_TAX', 'Property tax, half a year', 'County Treasurer', 'SEMI_ANNUALLY', 15, 6],
  ['TAXES', 'Occupancy tax of the quarter', 'County Treasurer', 'QUARTERLY', 10, 1.2],
];

/** A single expense so many days from today, with further fields. */
type Incident = readonly [
  ...[Category, what: string, vendor: string | null, amount: number, day: number],
  Partial<TransactionRequest>,
];

const YEARLY = { frequency: 'ANNUALLY', recurring: true } as const;

const RECEIVED = { type: 'INCOME', paymentMethod: 'CREDIT_CARD' } as const;

/** Every home's: repairs, purchases, a quarrel with a guest, an invoice that was forgotten. */
export const INCIDENTS: readonly Incident[] = [
  ['SUPPLIES', 'Soap, coffee, paper towels', 'Corner Store', 41.2, -330, { paymentMethod: 'CASH' }],
  ['PERMITS_LICENSES', 'Short-term rental permit', 'Town Hall', 150, -284, YEARLY],
  ['REPAIRS', 'Dishwasher pump replaced', 'Appliance Doctor', 184.6, -211, { paymentMethod: 'DEBIT_CARD' }],
  ['FURNISHING', 'Two armchairs', 'Chair & Table', 438, -158, { tags: ['one-off', 'furniture'] }],
  ['LEGAL_PROFESSIONAL', 'Tax return', 'Ledger & Partners', 390, -127, { ...YEARLY, tags: ['tax'] }],
  ['MAINTENANCE', 'Boiler service', 'Warm Homes', 129, -96, { ...YEARLY, paymentMethod: 'CHECK' }],
  ['REPAIRS', 'Gutter repaired', 'Roof & Gutter', 310, -48, { status: 'OVERDUE' }],
  ['MARKETING', 'Photographs of the rooms', 'Studio Lumen', 275, -32, { status: 'PENDING' }],
  ['SECURITY_DEPOSIT', 'Deposit of a family', null, 250, -60, { ...RECEIVED, status: 'REFUNDED' }],
  ['SECURITY_DEPOSIT', 'Deposit of a choir', null, 400, -2, RECEIVED],
  ['BOOKING_PAYMENT', 'A week, called off', null, 812, -40, { status: 'CANCELLED', type: 'INCOME' }],
  ['OTHER_INCOME', 'Broken window, charged', null, 220, -25, { status: 'DISPUTED', type: 'INCOME' }],
  ['OTHER_EXPENSE', 'Chimney sweep', 'Sweep & Sons', 85, -3, { status: 'PENDING' }],
];
