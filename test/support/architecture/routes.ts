import ts from 'typescript';
import type { Rule } from './rules.js';
import type { Source } from './sources.js';

/** A method of a controller that answers requests. */
export interface Handler {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** What it declares itself, or else its controller. */
  readonly access: string | undefined;
  /** How many decorators stand above it. */
  readonly decorators: number;
}

const METHODS: Readonly<Record<string, string>> = {
  Get: 'GET',
  Head: 'HEAD',
  Post: 'POST',
  Put: 'PUT',
  Patch: 'PATCH',
  Delete: 'DELETE',
  Options: 'OPTIONS',
  All: 'ALL',
};

export function handlersIn(sources: readonly Source[]): Handler[] {
  return sources.flatMap((source) =>
    [...source.nodes()].filter(ts.isClassDeclaration).flatMap((node) => handlersOf(source, node)),
  );
}

function handlersOf(source: Source, controller: ts.ClassDeclaration): Handler[] {
  const decorators = decoratorsOf(controller);
  if (!decorators.has('Controller')) return [];
  return controller.members.filter(ts.isMethodDeclaration).flatMap((member) => {
    const own = decoratorsOf(member);
    const route = [...own.keys()].find((name) => name in METHODS);
    if (route === undefined) return [];
    const parts = [decorators.get('Controller'), own.get(route)].filter(
      (part) => part !== undefined && part !== '',
    );
    return [
      {
        at: source.at(member),
        method: METHODS[route]!,
        path: `/${parts.join('/')}`,
        access: own.get('AllowAccess') ?? decorators.get('AllowAccess'),
        decorators: own.size,
      },
    ];
  });
}

/** Name → its argument, when that is a text. */
function decoratorsOf(node: ts.HasDecorators): Map<string, string | undefined> {
  return new Map(
    (ts.getDecorators(node) ?? []).map(({ expression }) =>
      ts.isCallExpression(expression)
        ? [expression.expression.getText(), textOf(expression.arguments[0])]
        : [expression.getText(), undefined],
    ),
  );
}

/** The text itself, or that of a constant in the same file. */
function textOf(expression: ts.Expression | undefined): string | undefined {
  if (expression === undefined) return undefined;
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (!ts.isIdentifier(expression)) return undefined;
  const constants = expression
    .getSourceFile()
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations);
  return textOf(constants.find(({ name }) => name.getText() === expression.text)?.initializer);
}

export const everyHandlerDeclaresAccess: Rule = (sources) =>
  handlersIn(sources)
    .filter(({ access }) => access === undefined)
    .map(({ at, method, path }) => `${at} does not say who may call ${method} ${path}`);

export function handlersOfDecorators(max: number): Rule {
  return (sources) =>
    handlersIn(sources)
      .filter(({ decorators }) => decorators > max)
      .map(({ at, decorators }) => `${at} has ${decorators} decorators`);
}

export function publicRoutesIn(sources: readonly Source[]): string[] {
  return handlersIn(sources)
    .filter(({ access }) => access === 'public')
    .map(({ method, path }) => `${method} ${path}`)
    .sort();
}
