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

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '%': '*',
};

const METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['toLowerCase', 'toUpperCase'],
]);

/** All faults of a source, in the order of its text. Documentation and types have none. */
export function faultsOf({ path, text: source }: Source): Fault[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true);
  const lines = source.split('\n');
  const found = new Map<string, Fault>();
  const visit = (node: ts.Node): void => {
    if (isDocumentation(node)) return;
    for (const { offset, from, to } of replacementsOf(node, file)) {
      const { line } = file.getLineAndCharacterOfPosition(offset);
      const fault = { path, line: line + 1, text: lines[line]!, offset, from, to };
      found.set(`${offset} ${from} ${to}`, fault);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found.values()].sort((a, b) => a.offset - b.offset);
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
  const offset = node.getStart(file);
  const from = node.getText(file);
  const to = (text: string): Replacement => ({ offset, from, to: text });
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
    return faultsInSql(from).map((fault) => ({ ...fault, offset: offset + fault.offset }));
  if (ts.isNumericLiteral(node)) return [to(`${Number(node.text) + 1}`)];
  if (node.kind === Kind.TrueKeyword) return [to('false')];
  if (node.kind === Kind.FalseKeyword) return [to('true')];
  if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken)
    return [to(node.operand.getText(file))];
  if (ts.isBinaryExpression(node)) return faultsOfOperator(node, file);
  if (ts.isIfStatement(node)) return constants(node.expression, file);
  if (ts.isConditionalExpression(node)) return constants(node.condition, file);
  if (ts.isPropertyAccessExpression(node)) return faultsOfMethod(node, file);
  if (ts.isExpressionStatement(node) && isCall(node.expression)) return [to(';')];
  if (ts.isArrayLiteralExpression(node))
    return node.elements
      .slice(0, -1)
      .filter(isDroppable)
      .map((element) => ({ ...whole(element, file), to: '' }));
  return [];
}

/** A statement, a rule or a list; without a number or a word of its own the others would not fit. */
function isDroppable(element: ts.Expression): boolean {
  if (ts.isSpreadElement(element) || ts.isArrayLiteralExpression(element)) return true;
  return (
    (ts.isStringLiteralLike(element) || ts.isTemplateExpression(element)) && element.getText().includes(' ')
  );
}

/** With the comma behind it. */
function whole(node: ts.Node, file: ts.SourceFile): Omit<Replacement, 'to'> {
  return { offset: node.getFullStart(), from: file.text.slice(node.getFullStart(), node.end + 1) };
}

/** A condition that always holds, and one that never does. */
function constants(condition: ts.Expression, file: ts.SourceFile): Replacement[] {
  const place = { offset: condition.getStart(file), from: condition.getText(file) };
  return ['true', 'false'].map((to) => ({ ...place, to }));
}

function faultsOfOperator({ operatorToken }: ts.BinaryExpression, file: ts.SourceFile): Replacement[] {
  const from = operatorToken.getText(file);
  const to = OPERATORS[from];
  return to === undefined ? [] : [{ offset: operatorToken.getStart(file), from, to }];
}

function faultsOfMethod({ name, parent }: ts.PropertyAccessExpression, file: ts.SourceFile): Replacement[] {
  const to = ts.isCallExpression(parent) ? METHODS.get(name.text) : undefined;
  return to === undefined ? [] : [{ offset: name.getStart(file), from: name.text, to }];
}

function isCall(node: ts.Expression): boolean {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isCall(node.expression);
  return ts.isCallExpression(node) && node.expression.kind !== Kind.SuperKeyword;
}
