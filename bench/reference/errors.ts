/** Ends a request with a status. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function found<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new HttpError(404, 'There is no such resource.');
  return row;
}

/** A path parameter. */
export function idOf({ params }: { readonly params: unknown }): string {
  const { id = '' } = params as { id?: string };
  if (!/^-?\d{1,18}$/.test(id)) throw new HttpError(400, 'The id must be a whole number.');
  return id;
}
