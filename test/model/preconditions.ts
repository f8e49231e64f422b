/** An If-Match or If-None-Match header for a resource of some version, and whether it matches. */
interface Kind {
  readonly header: (version: number) => string | undefined;
  /** As If-Match compares. */
  readonly strong: boolean;
  /** As If-None-Match compares; false for no header, which asks for nothing. */
  readonly weak: boolean;
}

const NONE: Kind = { header: () => undefined, strong: true, weak: false };

/** The kind that names the current version and no other. */
export const CURRENT = 3;

const KINDS: readonly Kind[] = [
  NONE,
  NONE,
  NONE,
  { header: (version) => `"${version}"`, strong: true, weak: true },
  { header: () => '*', strong: true, weak: true },
  { header: (version) => `"${version + 7}", "${version}"`, strong: true, weak: true },
  { header: (version) => `"${version - 1}"`, strong: false, weak: false },
  { header: (version) => `"${version + 1}"`, strong: false, weak: false },
  { header: (version) => `W/"${version}"`, strong: false, weak: true },
  { header: (version) => String(version), strong: false, weak: false },
  { header: () => '""', strong: false, weak: false },
];

export interface Precondition {
  readonly headers: Readonly<Record<string, string>>;
  readonly strong: boolean;
  readonly weak: boolean;
}

/** The `match`-th kind of precondition for a resource that is there in this version, or not there at all. */
export function precondition(name: 'If-Match' | 'If-None-Match', match: number, version = 1): Precondition {
  const { header, strong, weak } = KINDS[match % KINDS.length]!;
  const value = header(version);
  return { headers: value === undefined ? {} : { [name]: value }, strong, weak };
}
