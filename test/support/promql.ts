/** Words of the language that are no names of metrics. */
const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);
const STRING = /"(?:[^"\\]|\\.)*"/g;
const LABELS = /\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g;
const NAME = /[a-zA-Z_:][\w:]*\b(?!\s*\()/g;

/** The metrics that an expression of PromQL names. */
export function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(STRING, '""').replaceAll(LABELS, ' ');
  return [...bare.matchAll(NAME)].map(([name]) => name).filter((name) => !KEYWORDS.has(name));
}
