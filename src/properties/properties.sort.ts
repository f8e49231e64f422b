/** Texts sort by code point, whatever the locale of the database. `date` and `amount` are aliases. */
export const PROPERTY_SORT_COLUMNS = {
  id: ['t.id'],
  name: ['t.name COLLATE "C"'],
  address: ['t.address COLLATE "C"'],
  basePrice: ['t.base_price'],
  maxGuests: ['t.max_guests'],
  bedrooms: ['t.bedrooms'],
  bathrooms: ['t.bathrooms'],
  active: ['t.active'],
  createdAt: ['t.created_at'],
  updatedAt: ['t.updated_at'],
  date: ['t.created_at'],
  amount: ['t.base_price'],
};

export type PropertySortField = keyof typeof PROPERTY_SORT_COLUMNS;
export const PROPERTY_SORT_FIELDS = Object.keys(PROPERTY_SORT_COLUMNS) as PropertySortField[];
