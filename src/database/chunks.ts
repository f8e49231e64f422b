/** The items in their order, as many in each part as both bounds admit. A larger item is a part by itself. */
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
