export interface ListOptions {
  /** How many elements one request brings; 100 by default. */
  readonly size?: number;
  /** `field`, `field,asc` or `field,desc`. By id when left out: what is added meanwhile then comes last. */
  readonly sort?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Of a page, what is needed to go on to the next. */
interface Page<Element> {
  readonly content: readonly Element[];
  readonly last: boolean;
}

/** Every element of every page, one request at a time and only when somebody asks for more. */
export async function* elementsOf<Element>(
  read: (page: number) => Promise<Page<Element>>,
): AsyncGenerator<Element, void, undefined> {
  for (let page = 0; ; page += 1) {
    const { content, last } = await read(page);
    yield* content;
    if (last) return;
  }
}
