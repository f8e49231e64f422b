/** A statement as it went to PostgreSQL. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export const OWNED_TABLES = ['properties', 'transactions', 'owner_totals', 'property_totals'];

const TABLE = `(?:public\\.)?(${OWNED_TABLES.join('|')})\\b`;
const KEYWORD =
  'where|set|on|values|order|group|limit|offset|returning|join|left|right|inner|cross|using|for|as|select|default';
const MENTION = new RegExp(
  `(?:\\b(?:from|join|update|using)\\s+(?:only\\s+)?|,\\s*)${TABLE}(?:\\s+(?:as\\s+)?(?!(?:${KEYWORD})\\b)(\\w+))?`,
  'g',
);
const INSERTION = new RegExp(`\\binsert\\s+into\\s+${TABLE}(?:\\s+as\\s+\\w+)?\\s*\\(([^()]*)\\)`, 'g');
const BOUND = /(?:\b(\w+)\.)?\bowner_id\s*=\s*(?:\$(\d+)|(\w+)\.owner_id)/g;

/** The tables of owners' data that a statement names, wherever it names them. */
export function ownedTablesIn({ text }: SentStatement): string[] {
  return [
    ...new Set(scopesOf(normalised(text)).flatMap((scope) => [...mentionsIn(scope), ...insertionsIn(scope)])),
  ].map(({ table }) => table);
}

/**
 * The tables of owners' data that a statement touches without holding them to this owner. Each SELECT, UPDATE and
 * DELETE within the statement must itself have the predicate for each such table: bound to the owner's id, or to
 * the owner_id of another part of the statement, which then is looked at in turn.
 */
export function unscopedTables(statement: SentStatement, ownerId: string): string[] {
  const isOwner = (parameter: string): boolean => String(statement.values[Number(parameter) - 1]) === ownerId;
  const scopes = scopesOf(normalised(statement.text));
  const unscoped = scopes.flatMap((scope) => {
    const mentions = mentionsIn(scope);
    const bound = [...conjunctionOf(withoutLists(scope)).matchAll(BOUND)].filter(
      ([, , parameter]) => parameter === undefined || isOwner(parameter),
    );
    const isBound = ({ alias }: Mention): boolean =>
      bound.some(
        ([, left, , right]) =>
          left === alias || (left === undefined && mentions.length === 1) || right === alias,
      );
    const insertions = insertionsIn(scope).filter(({ columns }) => !/\bowner_id\b/.test(columns));
    return [...mentions.filter((mention) => !isBound(mention)), ...insertions].map(({ table }) => table);
  });
  const anchored = statement.values.some((value) => String(value) === ownerId);
  return anchored ? unscoped : ownedTablesIn(statement);
}

interface Mention {
  readonly table: string;
  readonly alias: string;
}

function mentionsIn(scope: string): Mention[] {
  const from = withoutLists(scope);
  return [...from.matchAll(MENTION)].map(([, table = '', alias = table]) => ({ table, alias }));
}

function insertionsIn(scope: string): { table: string; columns: string }[] {
  return [...scope.matchAll(INSERTION)].map(([, table = '', columns = '']) => ({ table, columns }));
}

/** Only FROM and WHERE are left. A column may have the name of a table: `SELECT o.id, transactions FROM owner_totals o`. */
function withoutLists(scope: string): string {
  return scope
    .replace(/\bselect\b.*?(?=\bfrom\b|$)/g, '')
    .replace(/\b(?:set|returning|order by)\b.*?(?=\bfrom\b|\bwhere\b|$)/g, '');
}

/** Lower case, without quotes, without the contents of literals, with single spaces. */
function normalised(text: string): string {
  return text
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/"/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

const QUERY = /^\s*(?:select|with|insert|update|delete)\b/;

/** Every query in the statement by itself: the text without the queries in parentheses within it. */
function scopesOf(text: string): string[] {
  const inner: string[] = [];
  const outer = replaceGroups(text, (content) => {
    if (!QUERY.test(content)) {
      const [own = '', ...nested] = scopesOf(content);
      inner.push(...nested);
      return `(${own})`;
    }
    inner.push(...scopesOf(content));
    return '()';
  });
  return [outer, ...inner];
}

/** What certainly holds in the query: nothing out of a disjunction or a negation. */
function conjunctionOf(text: string): string {
  const groups: string[] = [];
  const own = replaceGroups(text, (content, before) => {
    if (!/\bnot\s*$/.test(before)) groups.push(conjunctionOf(content));
    return '()';
  });
  return /\bor\b/.test(own) ? '' : [own, ...groups].join(' ');
}

/** Replaces every outermost pair of parentheses. */
function replaceGroups(text: string, replacement: (content: string, before: string) => string): string {
  let result = '';
  let depth = 0;
  let start = 0;
  for (const [index, char] of Array.from(text).entries()) {
    if (char === '(' && depth++ === 0) start = index;
    else if (char === ')' && --depth === 0) result += replacement(text.slice(start + 1, index), result);
    else if (depth === 0) result += char;
  }
  return result;
}
