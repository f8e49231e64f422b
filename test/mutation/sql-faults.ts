/** What to look for in a text of SQL, and what to put in its place. `§` stands for whatever the code inserts. */
type Rule = readonly [pattern: RegExp, replacement: string];

const TERM = String.raw`[\w."$§:]+(?:\([^()]*\))?`;
const OPERATOR = '(?:[=<>&]|<>|<=|>=|IS(?: NOT)?|IN|I?LIKE)';
const PREDICATE = String.raw`(?!UNBOUNDED)(?:NOT )?${TERM}(?: ${OPERATOR} ${TERM}){0,2}`;
const END = String.raw`(?=\s*(?:[)\n\`]|$)| (?:AND|OR|ORDER|GROUP|LIMIT|RETURNING|FOR|THEN)\b)`;

const RULES: readonly Rule[] = [
  // comparisons
  [/(?<=[\w)'"§] [<>])=(?= )/g, ''],
  [/(?<=[\w)'"§] )[<>](?= )/g, '$&='],
  [/(?<=[\w)'"§] )<>(?= )/g, '='],
  [/(?<=\b(?:WHERE|AND|ON|OR|WHEN|IF) [\w."§()]+ )=(?= )/g, '<>'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bIS DISTINCT FROM\b/g, 'IS NOT DISTINCT FROM'],
  // predicates
  [new RegExp(String.raw`(?<!BETWEEN ${TERM})\s+AND ${PREDICATE}${END}`, 'g'), ''],
  [new RegExp(String.raw`(?<=WHERE )${PREDICATE} AND `, 'g'), ''],
  [new RegExp(String.raw`(?<!BETWEEN ${TERM}) AND (?=${PREDICATE}${END})`, 'g'), ' OR '],
  [/(?<=\b(?:WHERE|AND|WHEN|CASE WHEN) )NOT /g, ''],
  // order
  [/ DESC\b/g, ''],
  [/(?<=ORDER BY [^()\n]*), [\w."§]+(?: COLLATE "C")?(?: DESC)?(?= NULLS|\)|\s*$|\s+LIMIT)/g, ''],
  [/ COLLATE "C"/g, ''],
  // rows that come or go
  [/\bLEFT JOIN\b/g, 'JOIN'],
  [/\bUNION ALL\b/g, 'UNION'],
  [/(?<!IS (?:NOT )?)\bDISTINCT /g, ''],
  [/ ON CONFLICT(?: \([^()]*\))? DO NOTHING/g, ''],
  [/ FOR (?:NO KEY )?(?:UPDATE|SHARE|KEY SHARE)\b/g, ''],
  // values
  [/\bsum\(/g, 'max('],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\bleast\(/g, 'greatest('],
  [/\bgreatest\(/g, 'least('],
  [/(?<=[\w)§] )\+(?= [\w(§])/g, '-'],
  [/(?<=[\w)§] )-(?= [\w(§])/g, '+'],
  [/\blower\(([\w."]+)\)/g, '$1'],
  [/\bILIKE\b/g, 'LIKE'],
  // triggers
  [/\bINSERT OR (?=UPDATE|DELETE)/g, ''],
  [/ OR (?:UPDATE|DELETE)(?= (?:ON|OR|OF)\b)/g, ''],
  [/(?<=UPDATE OF [\w, ]*), \w+(?= ON)/g, ''],
  [/\bOLD\./g, 'NEW.'],
  [/\bNEW\./g, 'OLD.'],
  // tables and indexes
  [/(?<=CREATE )UNIQUE /g, ''],
  [/(?<=INDEX [^()]*\([^()]*), [\w" ]+(?=\))/g, ''],
  [/ NOT NULL(?=,| DEFAULT|\s*\n)/g, ''],
  [/(?<=CHECK )\(/g, '(true OR '],
  [/ ON DELETE CASCADE/g, ''],
];

const IS_SQL =
  /\b(?:SELECT|FROM|JOIN|INTO|UPDATE|DELETE|WHERE|AND|ORDER BY|CASE|CHECK|INDEX|TRIGGER|CREATE|RETURNING)\b/;

export interface Replacement {
  readonly offset: number;
  readonly from: string;
  readonly to: string;
}

/** Insertions of a template, with braces three deep, and comments. */
const BRACES = String.raw`\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`;
const MASKED = new RegExp(String.raw`--.*|\$${BRACES}`, 'g');

/** Every fault that a rule makes in the text; none when it is no SQL. */
export function faultsInSql(text: string): Replacement[] {
  const masked = text.replaceAll(MASKED, (part) => (part.startsWith('-') ? ' ' : '§').repeat(part.length));
  if (!IS_SQL.test(masked)) return [];
  return RULES.flatMap(([pattern, replacement]) =>
    Array.from(masked.matchAll(pattern), ({ index, 0: match, 1: group = '' }) => ({
      offset: index,
      from: text.slice(index, index + match.length),
      to: replacement.replace('$1', group).replace('$&', match),
    })),
  );
}
