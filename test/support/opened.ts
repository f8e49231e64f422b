type Close = () => Promise<void> | void;

const open = new Set<() => Promise<void>>();

/**
 * Notes something that has to be closed: a service, a lock, a connection. Returns its `close`, to be called once or
 * often. What a test has opened and not closed, because it failed or has no reason to, is closed behind it.
 */
export function opened(close: Close): () => Promise<void> {
  const once = async (): Promise<void> => {
    if (open.delete(once)) await close();
  };
  open.add(once);
  return once;
}

/** What is open now, for {@link closeAllBut}. */
export function openNow(): ReadonlySet<unknown> {
  return new Set(open);
}

/** Closes everything that was opened since, the latest first: a lock goes before the service that waits for it. */
export async function closeAllBut(before: ReadonlySet<unknown>): Promise<void> {
  const late = [...open].filter((close) => !before.has(close)).reverse();
  const errors: unknown[] = [];
  for (const close of late) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, 'not everything could be closed');
}
