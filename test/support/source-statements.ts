import ts from 'typescript';
import type { Source } from './sources.js';

/** A text of a source that is SQL, or a part of it. */
export interface SourceStatement {
  /** The file, and how the text begins. */
  readonly place: string;
  /** Whether the statement has the text, with anything where the source puts something in. */
  isPartOf(statement: string): boolean;
}

const IS_SQL = /\b(?:SELECT|FROM|JOIN|INTO|UPDATE|DELETE|TABLE)\b/;

/** All texts of a source that name one of the tables where SQL has a table's name. */
export function statementsNaming(tables: readonly string[], { path, text }: Source): SourceStatement[] {
  const naming = new RegExp(
    `(?:\\b(?:FROM|JOIN|INTO|UPDATE|USING|ONLY|TABLE)|,)\\s+(?:${tables.join('|')})\\b`,
  );
  return textsIn(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022))
    .filter((parts) => parts.some((part) => naming.test(part)) && parts.some((part) => IS_SQL.test(part)))
    .map((parts) => ({
      place: `${path}: ${parts.join('…').trim().slice(0, 80)}`,
      isPartOf: (statement) => hasInOrder(statement, parts),
    }));
}

/** Each text in its parts, between which something is put in. */
function textsIn(node: ts.Node): string[][] {
  const texts: string[][] = [];
  if (ts.isStringLiteralLike(node)) texts.push([node.text]);
  if (ts.isTemplateExpression(node))
    texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]);
  ts.forEachChild(node, (child) => void texts.push(...textsIn(child)));
  return texts;
}

function hasInOrder(text: string, parts: readonly string[]): boolean {
  let end = 0;
  return parts.every((part) => {
    const start = text.indexOf(part, end);
    end = start + part.length;
    return start !== -1;
  });
}
