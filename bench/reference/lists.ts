import { HttpError } from './http.js';

export interface Page {
  readonly page: number;
  readonly size: number;
}

const SORT_COLUMNS: Readonly<Record<string, string>> = {
  id: 'id',
  date: 'date',
  amount: 'amount',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  dueDate: 'due_date',
  paidAt: 'paid_at',
  category: 'category COLLATE "C"',
  type: 'type COLLATE "C"',
  status: 'status COLLATE "C"',
  description: 'description COLLATE "C"',
  vendor: 'vendor COLLATE "C"',
};

/** A path parameter or a query's number. */
export function idOf(text: string): string {
  if (!/^-?\d{1,18}$/.test(text)) throw new HttpError(400, 'The id must be a whole number.');
  return text;
}

export function pageOf(page: unknown, size: unknown): Page {
  const result = { page: Number(page ?? 0), size: Number(size ?? 20) };
  if (!Number.isInteger(result.page) || result.page < 0)
    throw new HttpError(400, 'The page must be 0 or more.');
  if (!Number.isInteger(result.size) || result.size < 1 || result.size > 100)
    throw new HttpError(400, 'The size must be from 1 to 100.');
  return result;
}

/** ORDER BY of `field,direction`, with the id as the last tie-break, in the same direction. */
export function orderOf(sort: string): string {
  const [field = '', direction = 'asc'] = sort.split(',');
  const column = SORT_COLUMNS[field];
  if (column === undefined || !/^(asc|desc)$/i.test(direction))
    throw new HttpError(400, 'There is no such order.');
  return `${column} ${direction.toUpperCase()}, id ${direction.toUpperCase()}`;
}

export function envelope({ page, size }: Page, content: unknown[], totalElements: number): unknown {
  const totalPages = Math.ceil(totalElements / size);
  return { content, page, size, totalElements, totalPages, last: page >= totalPages - 1 };
}
