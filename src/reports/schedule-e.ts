import { ConfigurationError } from '../config/env.js';
import { contentOf } from '../config/variables.js';

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

/**
 * The lines of SCHEDULE_E_LINES, a JSON object or the name of a file with one, over those above. Throws
 * {@link ConfigurationError}.
 */
export function scheduleELines(setting: string): ScheduleELines {
  try {
    const given = setting.trim().startsWith('{') ? setting : contentOf(setting);
    return { ...LINES, ...checked(JSON.parse(given)) };
  } catch (error) {
    const fault =
      error instanceof SyntaxError
        ? 'must be a JSON object such as {"MORTGAGE": 12}, or name a file with one'
        : (error as Error).message;
    throw new ConfigurationError([`SCHEDULE_E_LINES ${fault}`]);
  }
}

function checked(given: unknown): Partial<ScheduleELines> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new SyntaxError();
  for (const [index, [category, line]] of Object.entries(given).entries()) {
    if (!Object.hasOwn(LINES, category))
      throw new Error(`has a name that is no category (number ${index + 1}): docs/api.md lists them all`);
    if (line !== null && !(typeof line === 'number' && line in SCHEDULE_E))
      throw new Error(`gives ${category} a line that the form does not have: it takes 3, 5 to 19, or null`);
    if (category === 'SECURITY_DEPOSIT' && line !== null)
      throw new Error('gives SECURITY_DEPOSIT a line: a deposit is a liability, and takes null alone');
  }
  return given;
}
