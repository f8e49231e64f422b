import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
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

/**
 * What is wrong with the resources by Kubernetes' own types, as strict as kubectl's validation: fields that there are
 * not, missing ones, values of another type. Each is compiled as a literal of its type.
 */
export function typeFaults(resources: readonly Resource[]): string[] {
  const name = fileURLToPath(new URL('../resources.ts', import.meta.url)); // where node_modules is found from
  const lines = resources.map((resource, index) => {
    const type = `import('kubernetes-types/${moduleOf(resource)}').${resource.kind}`;
    return `export const r${index}: ${type} = ${JSON.stringify(resource)};`;
  });
  const file = ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2022);
  const host = ts.createCompilerHost(OPTIONS);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => (path === name ? file : read(path, ...rest));
  host.fileExists = (path) => path === name || ts.sys.fileExists(path);
  const program = ts.createProgram([name], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ start = 0, messageText }) => {
    const { kind } = resources[file.getLineAndCharacterOfPosition(start).line] ?? {};
    return `${kind ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** `networking.k8s.io/v1` is in `networking/v1`, and what has no group in `core/v1`. */
function moduleOf({ apiVersion }: Resource): string {
  return apiVersion.includes('/') ? apiVersion.replace(/\.k8s\.io\//, '/') : `core/${apiVersion}`;
}
