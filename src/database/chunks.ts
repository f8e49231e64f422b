/** The items in their order, in chunks within both bounds. An item larger than its bound is a chunk by itself. */
export function* chunksOf<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  most: { readonly items: number; readonly size: number },
): Generator<T[], void> {
  let [part, size]: [T[], number] = [[], 0];
  for (const item of items) {
    if (part.length > 0 && (part.length === most.items || size + sizeOf(item) > most.size)) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(item);
    size += sizeOf(item);
  }
  if (part.length > 0) yield part;
}
