import type { PropertyRequest } from '../../properties/properties.dto.js';
import type { Cents } from './entry.js';

/** A property of the demo, with what it costs to run. */
export interface Home {
  readonly owner: 'olivia' | 'marco';
  readonly property: PropertyRequest;
  /** Of the random numbers: each home has a history of its own. */
  readonly seed: number;
  readonly cleaning: Cents;
  readonly deposit: Cents;
  readonly mortgage: { readonly amount: Cents; readonly lender: string };
  /** Yearly, in two halves. */
  readonly propertyTax: Cents;
  readonly insurance: Cents;
  /** Monthly, for homes in a shared building. */
  readonly hoaFee?: Cents;
  /** Monthly, for homes that somebody else looks after. */
  readonly management?: { readonly amount: Cents; readonly company: string };
}

const COTTAGE: Home = {
  owner: 'olivia',
  property: {
    name: 'Seaside Cottage',
    address: '1 Harbour Road, Port Ellery',
    description: 'Two bedrooms, a stove, and the beach across the lane',
    basePrice: '145.00',
    maxGuests: 4,
    bedrooms: 2,
    bathrooms: 1,
    active: true,
    strPermitNumber: 'STR-2024-0117',
    houseRules: 'No smoking. Quiet from ten in the evening. Sandy boots stay on the porch.',
    checkInInstructions: 'The key is in the lockbox left of the door; the code comes the day before.',
  },
  seed: 11,
  cleaning: 65_00,
  deposit: 200_00,
  mortgage: { amount: 912_40, lender: 'Harbour Building Society' },
  propertyTax: 1_860_00,
  insurance: 684_00,
};

const LOFT: Home = {
  owner: 'olivia',
  property: {
    name: 'Old Mill Loft',
    address: '22 Weaver Street, Apartment 9, Millbrook',
    description: 'Open-plan loft in a former mill, ten minutes from the station',
    basePrice: '98.50',
    maxGuests: 2,
    bedrooms: 1,
    bathrooms: 1,
    active: true,
    strPermitNumber: 'STR-2023-0984',
    houseRules: 'No parties. Bicycles go into the yard.',
    checkInInstructions: 'Ring at 9; the door opens by itself.',
  },
  seed: 23,
  cleaning: 45_00,
  deposit: 150_00,
  mortgage: { amount: 688_15, lender: 'Millbrook Savings Bank' },
  propertyTax: 1_140_00,
  insurance: 396_00,
  hoaFee: 210_00,
};

const LODGE: Home = {
  owner: 'marco',
  property: {
    name: 'Pine Ridge Lodge',
    address: '480 Forest Track, Highfield',
    description: 'Log house for a large family, with a sauna',
    basePrice: '260.00',
    maxGuests: 10,
    bedrooms: 5,
    bathrooms: 3,
    active: true,
    strPermitNumber: null,
    houseRules: 'Close the gate: the sheep are curious.',
    checkInInstructions: null,
  },
  seed: 37,
  cleaning: 120_00,
  deposit: 400_00,
  mortgage: { amount: 1_730_00, lender: 'Highfield Credit Union' },
  propertyTax: 2_980_00,
  insurance: 1_248_00,
  management: { amount: 340_00, company: 'Ridge Caretakers' },
};

export const HOMES: readonly Home[] = [COTTAGE, LOFT, LODGE];
