import {
  boolean,
  category,
  frequency,
  paymentMethod,
  sortBy,
  sortDirection,
  status,
  type,
} from './choices.js';
import { metadata, tags } from './composites.js';
import type { Kind } from './kind.js';
import { amount, anyNumber, int32, int64, page, price, reference, size } from './numbers.js';
import { anyText, dateTime, longText, text255 } from './texts.js';

export type Fields = Readonly<Record<string, Kind>>;

export const PROPERTY_REQUIRED: Fields = {
  name: text255,
  address: text255,
  basePrice: price,
  maxGuests: int32(1, 100),
  bedrooms: int32(0, 50),
  bathrooms: int32(0, 50),
  active: boolean,
};

export const PROPERTY_OPTIONAL: Fields = {
  description: text255,
  strPermitNumber: text255,
  houseRules: longText,
  checkInInstructions: longText,
};

export const TRANSACTION_REQUIRED: Fields = {
  propertyId: reference,
  type,
  category,
  description: text255,
  amount,
  date: dateTime,
};

export const TRANSACTION_OPTIONAL: Fields = {
  subcategory: text255,
  status,
  paymentMethod,
  paymentReference: text255,
  recurring: boolean,
  frequency,
  vendor: text255,
  receiptUrl: text255,
  notes: longText,
  dueDate: dateTime,
  paidAt: dateTime,
  bookingReference: text255,
  bookingId: int64,
  tags,
  metadata,
};

export const SEARCH: Fields = {
  startDate: dateTime,
  endDate: dateTime,
  minAmount: anyNumber,
  maxAmount: anyNumber,
  type,
  category,
  propertyId: int64,
  status,
  paymentMethod,
  recurring: boolean,
  frequency,
  vendor: text255,
  approvalStatus: anyText,
  overdue: boolean,
  searchTerm: text255,
  page,
  size,
  sortBy,
  sortDirection,
};
