/** Words that stand where a value is to be put in, as in `change-me`, `ReplaceMe` and `your_secret`. */
const MARKER = '(?:change-?(?:me|this|it)|replace-?(?:me|this|with)|placeholder|example|todo|fixme|your)';
const MARKER_FIRST = new RegExp(`^${MARKER.replaceAll('-?', '[-_ ]?')}[-_.:\\s]`, 'i');
/** These begin no other word, and so may be glued to what follows. */
const MARKER_GLUED = /^(?:change[-_ ]?me|replace[-_ ]?me|placeholder|example|your[-_ ]?secret)/i;
/** In a text as {@link hyphenated} writes it. */
const MARKER_ANYWHERE = new RegExp(`(?:^|-)${MARKER}(?:-|$)`);

/** What stands between the delimiters of a placeholder: words, and how people put them. */
const INSIDE = String.raw`[\p{L}\d_\s.,:;'"!?/()|-]*`;

/** A placeholder as the whole of a text, by who writes it so. */
const WHOLE: readonly RegExp[] = [
  /^\$\{.*\}$/su, // shells, Spring, Docker Compose
  /^\$\(.*\)$/su, // Kubernetes, Azure Pipelines
  /^\{\{.*\}\}$/su, // Helm, Jinja, Mustache
  /^#\{.*\}#?$/su, // Azure's replace-tokens, Octopus
  /^__.*__$/su,
  new RegExp(`^<${INSIDE}>$`, 'u'),
  new RegExp(`^%${INSIDE}%$`, 'u'), // Windows
  new RegExp(`^@${INSIDE}@$`, 'u'), // Maven, Ant
  new RegExp(String.raw`^\[+${INSIDE}\]+$`, 'u'),
];

const VARIABLE = /^\$+(?:env:)?([A-Za-z_]\w*)$/;
/** With other text around it. */
const WITHIN = /(?:[$#]\{|\$\(|\{\{)\s*\.?([A-Za-z][\w.:-]{7,})\s*[})]/g;

/**
 * Whether a text stands where a secret was meant to be put in. A random text may hold the same letters and signs:
 * those that chance brings together now and then count only where the text, or the name, is made of words.
 */
export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim();
  return (
    WHOLE.some((pattern) => pattern.test(trimmed)) ||
    isMadeOfWords(VARIABLE.exec(trimmed)?.[1] ?? '') ||
    [...trimmed.matchAll(WITHIN)].some(([, name = '']) => isMadeOfWords(name)) ||
    MARKER_FIRST.test(trimmed) ||
    ((MARKER_GLUED.test(trimmed) || MARKER_ANYWHERE.test(hyphenated(trimmed))) && isMadeOfWords(trimmed))
  );
}

/** Runs of letters of one case, or of digits, are longer in words than where letters are drawn. */
const LEAST_MEAN_RUN = 3;

/** Whether the letters and digits stand in runs as long as those of words. */
export function isMadeOfWords(text: string): boolean {
  const runs = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return runs.length > 0 && runs.join('').length / runs.length >= LEAST_MEAN_RUN;
}

/** `changeMe_now 1` → `change-me-now-1` */
function hyphenated(text: string): string {
  return text
    .replaceAll(/(?<=[a-z])(?=[A-Z\d])|(?<=[A-Z])(?=[A-Z][a-z]|\d)|(?<=\d)(?=[A-Za-z])/g, '-')
    .replaceAll(/[^A-Za-z\d]+/g, '-')
    .toLowerCase();
}
