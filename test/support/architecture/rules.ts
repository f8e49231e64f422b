import ts from 'typescript';
import type { Source } from './sources.js';

/** Finds what breaks a rule: one text for each place. */
export type Rule = (sources: readonly Source[]) => string[];

/** Path → layer: the first that matches. */
export type Layers = readonly (readonly [pattern: RegExp, layer: string])[];

/** A file imports from its own layer and from those that its layer may use, for values and types alike. */
export function layersUse(layers: Layers, mayUse: Readonly<Record<string, readonly string[]>>): Rule {
  const layerOf = (path: string): string | undefined => layers.find(([pattern]) => pattern.test(path))?.[1];
  return (sources) =>
    sources.flatMap((source) => {
      const layer = layerOf(source.path);
      if (layer === undefined) return [`${source.path} belongs to no layer`];
      return source.imports().flatMap(({ target, specifier, at }) => {
        if (target === undefined) return [];
        const used = layerOf(target);
        const allowed = used !== undefined && (used === layer || mayUse[layer]?.includes(used) === true);
        return allowed
          ? []
          : [`${at} imports ${specifier}: ${layer} may not use ${used ?? 'what is outside'}`];
      });
    });
}

/** No file imports itself by way of others, not even for a type. */
export const noCycles: Rule = (sources) => {
  const targets = new Map(
    sources.map((source) => [source.path, source.imports().flatMap(({ target }) => target ?? [])]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    else if (!done.has(path)) {
      for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    }
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
};

/** A package, and what is below its name, is imported by the files that match and by no others. */
export function packageIn(name: RegExp, files: RegExp): Rule {
  return (sources) =>
    sources.flatMap((source) =>
      source
        .imports()
        .filter(({ specifier, target }) => target === undefined && name.test(specifier))
        .filter(() => !files.test(source.path))
        .map(({ specifier, at }) => `${at} imports ${specifier}`),
    );
}

/** Nodes of a kind are in the files that match and in no others. */
function nodesIn(what: string, matches: (node: ts.Node) => boolean, files: RegExp): Rule {
  return (sources) =>
    sources
      .filter(({ path }) => !files.test(path))
      .flatMap((source) =>
        [...source.nodes()].filter(matches).map((node) => `${source.at(node)} has ${what}`),
      );
}

const NOWHERE = /^$/;

const isProperty = (node: ts.Node, object: string, name?: string): boolean =>
  ts.isPropertyAccessExpression(node) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === object &&
  (name === undefined || node.name.text === name);

export function environmentIn(files: RegExp): Rule {
  return nodesIn('process.env', (node) => isProperty(node, 'process', 'env'), files);
}

export const noConsole = nodesIn('console', (node) => isProperty(node, 'console'), NOWHERE);

export const noAny = nodesIn('any', (node) => node.kind === ts.SyntaxKind.AnyKeyword, NOWHERE);

export const noForwardRef = nodesIn(
  'forwardRef',
  (node) => ts.isIdentifier(node) && node.text === 'forwardRef',
  NOWHERE,
);

export const noDefaultExport = nodesIn(
  'a default export',
  (node) =>
    ts.isExportAssignment(node) ||
    (ts.isExportSpecifier(node) && node.name.text === 'default') ||
    (node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent)),
  NOWHERE,
);

/** Nest's own exceptions are made nowhere: a ProblemError says which problem it is. */
export const noFrameworkException = nodesIn(
  'an exception of the framework',
  (node) =>
    ts.isNewExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text.endsWith('Exception'),
  NOWHERE,
);

/** `repository.save()` takes a stale version and writes it back. */
export const noSave = nodesIn(
  'a call of save',
  (node) =>
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'save',
  NOWHERE,
);

export const noBarrel: Rule = (sources) =>
  sources.flatMap(({ path }) => (/(^|\/)index\.ts$/.test(path) ? [`${path} is a barrel`] : []));

export function filesOfLines(max: number): Rule {
  return (sources) =>
    sources.flatMap(({ path, text }) => {
      const lines = text.replace(/\n$/, '').split('\n').length;
      return lines > max ? [`${path} has ${lines} lines`] : [];
    });
}

export function functionsOfLines(max: number): Rule {
  return (sources) =>
    sources.flatMap((source) =>
      [...source.nodes()]
        .filter((node) => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
        .map((node) => ({ node, lines: linesOf(source, node) }))
        .filter(({ lines }) => lines > max)
        .map(({ node, lines }) => `${source.at(node)} has a function of ${lines} lines`),
    );
}

function linesOf(source: Source, node: ts.Node): number {
  return source.tree.getLineAndCharacterOfPosition(node.end).line + 2 - source.lineOf(node);
}
