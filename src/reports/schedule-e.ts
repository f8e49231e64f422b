import { ConfigurationError } from '../config/env.js';
import { contentOf } from '../config/variables.js';
import { CATEGORIES, type Category } from '../transactions/transaction.enums.js';

/** The lines of Part I of Schedule E (Form 1040) that a report fills in, in their order, with the categories of each. */
export const SCHEDULE_E: readonly (readonly [line: number, label: string, ...categories: Category[]])[] = [
  [
    3,
    'Rents received',
    'BOOKING_PAYMENT',
    'CLEANING_FEE',
    'LATE_CHECKOUT_FEE',
    'ADDITIONAL_GUEST_FEE',
    'OTHER_INCOME',
  ],
  [5, 'Advertising', 'MARKETING'],
  [6, 'Auto and travel'],
  [7, 'Cleaning and maintenance', 'CLEANING', 'MAINTENANCE'],
  [8, 'Commissions', 'PLATFORM_FEES'],
  [9, 'Insurance', 'INSURANCE'],
  [10, 'Legal and other professional fees', 'LEGAL_PROFESSIONAL'],
  [11, 'Management fees', 'PROPERTY_MANAGEMENT'],
  [12, 'Mortgage interest paid to banks, etc.'],
  [13, 'Other interest'],
  [14, 'Repairs', 'REPAIRS'],
  [15, 'Supplies', 'SUPPLIES'],
  [16, 'Taxes', 'PROPERTY_TAX', 'TAXES'],
  [17, 'Utilities', 'UTILITIES'],
  [18, 'Depreciation expense or depletion'],
  [19, 'Other', 'OTHER_EXPENSE', 'HOA_FEES', 'PERMITS_LICENSES'],
];

/** Category → its line; null where no line takes it as it is. */
export type ScheduleELines = Readonly<Record<Category, number | null>>;

const LINES = Object.fromEntries(
  CATEGORIES.map((category) => [category, SCHEDULE_E.find((row) => row.includes(category))?.[0] ?? null]),
) as ScheduleELines;

/**
 * Lines of SCHEDULE_E_LINES, a JSON object or a file with one, in place of those above. Throws
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
    if (line !== null && !SCHEDULE_E.some(([own]) => own === line))
      throw new Error(`gives ${category} a line that the form does not have: it takes 3, 5 to 19, or null`);
    if (category === 'SECURITY_DEPOSIT' && line !== null)
      throw new Error('gives SECURITY_DEPOSIT a line: a deposit is a liability, and takes null alone');
  }
  return given;
}
