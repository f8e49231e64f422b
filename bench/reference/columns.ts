/** Column → field of the response, and how the value that pg returns becomes the one in JSON. */
export type Columns = Readonly<Record<string, readonly [field: string, kind?: 'number']>>;

export function toJson(columns: Columns): (row: Record<string, unknown>) => Record<string, unknown> {
  const entries = Object.entries(columns);
  return (row) => {
    const json: Record<string, unknown> = {};
    for (const [column, [field, kind]] of entries) {
      const value = row[column];
      json[field] = kind === 'number' && value !== null ? Number(value) : value;
    }
    return json;
  };
}

export function select(columns: Columns, table: string): string {
  return `SELECT ${Object.keys(columns).join(', ')} FROM ${table}`;
}
