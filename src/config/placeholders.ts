/** Words in the place of a value, as in `change-me`, `ReplaceMe` and `your_secret`, in a text as {@link hyphenated} writes it. */
const MARKER =
  /(?:^|-)(?:change-?me|replace-?me|placeholder|your-?secret|(?:change-?(?:this|it)|replace-?(?:this|with)|example|todo|fixme|your)(?=-|$))/;

/** A placeholder as the whole of a text: of shells, Spring and Docker Compose; Kubernetes; Helm and Jinja; Azure; Windows; Maven. */
const WHOLE = /^(?:\$\{.*\}|\$\(.*\)|\{\{.*\}\}|#\{.*\}#?|__.*__)$/su;
const WORDS = String.raw`[\p{L}\d_\s.,:;'"!?/()|=\[\]-]*`;
const WHOLE_OF_WORDS = new RegExp(`^(?:<+%?${WORDS}%?>+|%+${WORDS}%+|@+${WORDS}@+|\\[${WORDS}\\])$`, 'u');

const VARIABLE = /^\$+(?:env:)?([A-Za-z_]\w*)$/;
const WITHIN = /(?:[$#]\{|\$\(|\{\{)\s*\.?([A-Za-z][\w.:-]{7,})\s*[})]/g; // with other text around it

/** A random secret may hold the same signs by chance: most of them count only in a text, or a name, made of words. */
export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim();
  const [marker] = MARKER.exec(hyphenated(trimmed)) ?? [];
  const names = [VARIABLE.exec(trimmed), ...trimmed.matchAll(WITHIN)].map((match) => match?.[1] ?? '');
  return (
    WHOLE.test(trimmed) ||
    WHOLE_OF_WORDS.test(trimmed) ||
    names.some(isMadeOfWords) ||
    (marker !== undefined && (isMadeOfWords(trimmed) || hyphenated(trimmed).startsWith(`${marker}-`)))
  );
}

/** Runs of letters of one case, or of digits, are longer in words than in a random text. */
const LEAST_MEAN_RUN = 3;

/** Whether the letters and digits stand in runs as long as those of words. */
export function isMadeOfWords(text: string): boolean {
  const runs = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return runs.length > 0 && runs.join('').length / runs.length >= LEAST_MEAN_RUN;
}

/** `changeMe_now 1` → `change-me-now-1`, `todotodo` → `todo-`; a run of one character, which only adds length, is a hyphen. */
function hyphenated(text: string): string {
  return text
    .replace(/^(.{4,}?)\1+/, '$1-')
    .replaceAll(/(.)\1{7,}/g, '-')
    .replaceAll(/(?<=[a-z])(?=[A-Z\d])|(?<=[A-Z])(?=[A-Z][a-z]|\d)|(?<=\d)(?=[A-Za-z])/g, '-')
    .replaceAll(/[^A-Za-z\d]+/g, '-')
    .toLowerCase();
}
