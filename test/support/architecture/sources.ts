import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A file of the project, by its path from the root. */
export class Source {
  readonly tree: ts.SourceFile;

  constructor(
    readonly path: string,
    readonly text: string,
  ) {
    this.tree = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  }

  /** Every node of the file. */
  *nodes(): Generator<ts.Node> {
    const waiting: ts.Node[] = [this.tree];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      yield node;
      waiting.push(...node.getChildren(this.tree));
    }
  }

  lineOf(node: ts.Node): number {
    return this.tree.getLineAndCharacterOfPosition(node.getStart(this.tree)).line + 1;
  }

  /** `path:line`, for messages. */
  at(node: ts.Node): string {
    return `${this.path}:${this.lineOf(node)}`;
  }

  /** What the file imports, for its values or for its types alone. */
  imports(): Import[] {
    const found: Import[] = [];
    for (const node of this.nodes()) {
      const specifier = specifierOf(node);
      if (specifier !== undefined && ts.isStringLiteralLike(specifier))
        found.push({ specifier: specifier.text, at: this.at(node), target: this.resolve(specifier.text) });
    }
    return found;
  }

  /** The path of a relative import; undefined for a package. */
  private resolve(specifier: string): string | undefined {
    if (!specifier.startsWith('.')) return undefined;
    return posix.join(posix.dirname(this.path), specifier).replace(/\.js$/, '.ts');
  }
}

export interface Import {
  readonly specifier: string;
  readonly at: string;
  readonly target: string | undefined;
}

function specifierOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return node.arguments[0];
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  return undefined;
}

/** The files of a folder and the folders below, tests not among them. */
export function sourcesIn(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(spec|e2e-spec)\.ts$/.test(name))
    .map((name) => posix.join(folder, name))
    .sort()
    .map((path) => new Source(path, readProjectFile(path)));
}

export function readProjectFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function isProjectFile(path: string): boolean {
  return existsSync(join(ROOT, path));
}
