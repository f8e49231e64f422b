import { readFileSync } from 'node:fs';

/** The lines of Part I of Schedule E (Form 1040) that a report fills in, as the form calls them. */
export const SCHEDULE_E = {
  3: 'Rents received',
  5: 'Advertising',
  6: 'Auto and travel',
  7: 'Cleaning and maintenance',
  8: 'Commissions',
  9: 'Insurance',
  10: 'Legal and other professional fees',
  11: 'Management fees',
  12: 'Mortgage interest paid to banks, etc.',
  13: 'Other interest',
  14: 'Repairs',
  15: 'Supplies',
  16: 'Taxes',
  17: 'Utilities',
  18: 'Depreciation expense or depletion',
  19: 'Other',
} as const;
export type ScheduleELine = keyof typeof SCHEDULE_E;

/** Category → its line; null where no line takes it as it is. */
const LINES = {
  BOOKING_PAYMENT: 3,
  CLEANING_FEE: 3,
  SECURITY_DEPOSIT: null,
  LATE_CHECKOUT_FEE: 3,
  ADDITIONAL_GUEST_FEE: 3,
  OTHER_INCOME: 3,
  CLEANING: 7,
  MAINTENANCE: 7,
  UTILITIES: 17,
  SUPPLIES: 15,
  INSURANCE: 9,
  MORTGAGE: null,
  PROPERTY_TAX: 16,
  PLATFORM_FEES: 8,
  MARKETING: 5,
  OTHER_EXPENSE: 19,
  TAXES: 16,
  HOA_FEES: 19,
  REPAIRS: 14,
  FURNISHING: null,
  PROPERTY_MANAGEMENT: 11,
  PERMITS_LICENSES: 19,
  LEGAL_PROFESSIONAL: 10,
} as const satisfies Record<string, ScheduleELine | null>;

/** Where each category belongs; it has every one. */
export type ScheduleELines = Readonly<Record<keyof typeof LINES, ScheduleELine | null>>;

/** A JSON object, or the name of a file with one: category → line or null, for those that are to be elsewhere. */
export function parseScheduleELines(text: string): ScheduleELines {
  const given = objectIn(text.trim().startsWith('{') ? text : contentOf(text));
  for (const [index, [category, line]] of Object.entries(given).entries()) {
    if (!Object.hasOwn(LINES, category))
      throw new Error(`has a name that is no category (number ${index + 1}): docs/reports.md lists them all`);
    if (line !== null && !(typeof line === 'number' && line in SCHEDULE_E))
      throw new Error(`lays ${category} to no line of the form: it takes 3, 5 to 19, or null`);
    if (category === 'SECURITY_DEPOSIT' && line !== null)
      throw new Error('lays SECURITY_DEPOSIT to a line: it is a liability, and takes null alone');
  }
  return { ...LINES, ...(given as Partial<ScheduleELines>) };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Error(`must be a JSON object, or name a file with one that can be read (${code})`, {
      cause: error,
    });
  }
}

function objectIn(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('must be a JSON object such as {"MORTGAGE": 12}, or name a file with one');
  return value;
}
