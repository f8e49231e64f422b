/** Below so many characters a word is easily like another one by chance. */
const LONG = 6;

/** The word that was most likely meant, or undefined when none is near. */
export function nearest(written: string, words: readonly string[]): string | undefined {
  const reach = written.length < LONG ? 1 : 2;
  const [best] = words
    .map((word) => ({ word, distance: distanceOf(written, word) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance);
  return best?.word;
}

/** How many characters must be put in, taken out or replaced (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, char] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [column, expected] of Array.from(other).entries()) {
      const replaced = (row[column] ?? 0) + (char === expected ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
