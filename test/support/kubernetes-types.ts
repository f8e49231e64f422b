import { faultsOfLiterals } from './literal-types.js';

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * What is wrong with the resources by Kubernetes' own types, as strict as kubectl's validation: fields that there are
 * not, missing ones, values of another type.
 */
export function typeFaults(resources: readonly Resource[]): string[] {
  const literals = resources.map((resource) => ({
    type: `import('kubernetes-types/${moduleOf(resource)}').${resource.kind}`,
    json: JSON.stringify(resource),
  }));
  return faultsOfLiterals(literals).flatMap((faults, index) =>
    faults.map((fault) => `${resources[index]!.kind}: ${fault}`),
  );
}

/** `networking.k8s.io/v1` is in `networking/v1`, and what has no group in `core/v1`. */
function moduleOf({ apiVersion }: Resource): string {
  return apiVersion.includes('/') ? apiVersion.replace(/\.k8s\.io\//, '/') : `core/${apiVersion}`;
}
