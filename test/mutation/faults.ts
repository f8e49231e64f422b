import ts from 'typescript';
import type { Source } from '../support/sources.js';
import { faultsInSql, type Replacement } from './sql-faults.js';

/** One change of one file, which a test has to fail for. */
export interface Fault extends Replacement {
  readonly path: string;
  readonly line: number;
  /** Of the line. */
  readonly text: string;
}

const { SyntaxKind: Kind } = ts;

const paired = (...pairs: readonly string[]): Map<string, string> =>
  new Map(pairs.map((pair) => pair.split(' ') as [string, string]));
const OPERATORS = paired(
  ...['=== !==', '!== ===', '< <=', '<= <', '> >=', '>= >'],
  ...['&& ||', '|| &&', '+ -', '- +', '* /', '% *'],
);
const METHODS = paired(
  ...['some every', 'every some', 'min max', 'max min'],
  ...['startsWith endsWith', 'toLowerCase toUpperCase'],
);

/** All faults of a source, in the order of its text. Documentation and types have none. */
export function faultsOf({ path, text: source }: Source): Fault[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true);
  const lines = source.split('\n');
  const within = (node: ts.Node): Fault[] => {
    if (isDocumentation(node)) return [];
    const own = replacementsOf(node, file).map((replacement) => {
      const { line } = file.getLineAndCharacterOfPosition(replacement.offset + replacement.from.search(/\S/));
      return { path, line: line + 1, text: lines[line]!, ...replacement };
    });
    if (isNumber(node)) return own;
    const below: Fault[] = [];
    ts.forEachChild(node, (child) => void below.push(...within(child)));
    return [...own, ...below];
  };
  return within(file);
}

const DESCRIPTIVE = /^(?:description|summary|examples?|title|operationId|tags)$/;

function isDocumentation(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    (ts.isPropertyAssignment(node) && DESCRIPTIVE.test(node.name.getText())) ||
    (ts.isNewExpression(node) && node.expression.getText() === 'Error')
  );
}

function replacementsOf(node: ts.Node, file: ts.SourceFile): Replacement[] {
  const instead = (part: ts.Node, ...texts: (string | undefined)[]): Replacement[] =>
    texts.flatMap((to) =>
      to === undefined ? [] : { offset: part.getStart(file), from: part.getText(file), to },
    );
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
    return faultsInSql(node.getText(file)).map((fault) => ({
      ...fault,
      offset: node.getStart(file) + fault.offset,
    }));
  if (isNumber(node)) return instead(node, otherNumber(node.getText(file)));
  if (node.kind === Kind.TrueKeyword) return instead(node, 'false');
  if (node.kind === Kind.FalseKeyword) return instead(node, 'true');
  if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken)
    return instead(node, node.operand.getText(file));
  if (ts.isBinaryExpression(node))
    return instead(node.operatorToken, OPERATORS.get(node.operatorToken.getText(file)));
  if (ts.isIfStatement(node)) return instead(node.expression, 'true', 'false');
  if (ts.isConditionalExpression(node)) return instead(node.condition, 'true', 'false');
  if (ts.isPropertyAccessExpression(node) && ts.isCallExpression(node.parent))
    return instead(node.name, METHODS.get(node.name.text));
  if (ts.isExpressionStatement(node) && isCall(node.expression)) return instead(node, ';');
  if (ts.isArrayLiteralExpression(node))
    return node.elements
      .slice(0, -1)
      .filter(isDroppable)
      .map(({ pos, end }) => ({ offset: pos, from: file.text.slice(pos, end + 1), to: '' })); // with its comma
  return [];
}

/** A literal, a calculation with literals alone (`64 * 1024`), or a list of more than two (the buckets of a histogram). */
function isNumber(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node)) return isNumber(node.left) && isNumber(node.right);
  if (ts.isArrayLiteralExpression(node)) return node.elements.length > 2 && node.elements.every(isNumber);
  return ts.isNumericLiteral(node);
}

/** One more of what is counted; of sizes and times, from 1,000 on, the half; of a list all but the first. */
function otherNumber(text: string): string {
  if (text.startsWith('[')) return text.replace(/[^[,]+,/, '');
  const number = Number(text.replaceAll('_', ''));
  return number < 1000 ? `${number + 1}` : `(${text}) / 2`;
}

/** A statement, a rule or a list; without a number or a word of its own the others would not fit. */
function isDroppable(element: ts.Expression): boolean {
  if (ts.isSpreadElement(element) || ts.isArrayLiteralExpression(element)) return true;
  const isText = ts.isStringLiteralLike(element) || ts.isTemplateExpression(element);
  return isText && element.getText().includes(' ');
}

function isCall(node: ts.Expression): boolean {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isCall(node.expression);
  return ts.isCallExpression(node) && node.expression.kind !== Kind.SuperKeyword;
}
