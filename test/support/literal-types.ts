import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** JSON, and the type that it should be a value of. */
export interface Literal {
  readonly type: string;
  readonly json: string;
}

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es5.d.ts'],
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};
const FILE = fileURLToPath(new URL('../literals.ts', import.meta.url)); // where node_modules is found from

const host = ts.createCompilerHost(OPTIONS);
const read = host.getSourceFile.bind(host);
const sources = new Map<string, ts.SourceFile | undefined>();

/** The compiler's errors for each text as a literal of its type; of imported JSON, enumerations would be any text. */
export function faultsOfLiterals(literals: readonly Literal[]): string[][] {
  const lines = literals.map(({ type, json }, index) => {
    return `export const l${index}: ${type} = ${JSON.stringify(JSON.parse(json))};`;
  });
  const file = ts.createSourceFile(FILE, lines.join('\n'), ts.ScriptTarget.ES2022);
  host.fileExists = (path) => path === FILE || ts.sys.fileExists(path);
  host.getSourceFile = (path, ...rest) => {
    if (path === FILE) return file;
    if (!sources.has(path)) sources.set(path, read(path, ...rest));
    return sources.get(path);
  };
  const faults: string[][] = literals.map(() => []);
  for (const { start = 0, messageText } of ts.getPreEmitDiagnostics(ts.createProgram([FILE], OPTIONS, host)))
    faults[file.getLineAndCharacterOfPosition(start).line]!.push(
      ts.flattenDiagnosticMessageText(messageText, ' '),
    );
  return faults;
}
