export type Labels = Readonly<Record<string, string>>;

/** A value of a scrape. */
interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Name → type and samples. */
export type Families = ReadonlyMap<string, { readonly type: string; readonly samples: Sample[] }>;

/** Reads Prometheus' text format, which promtool checks in test/outside/observability. */
export function parseExposition(text: string): Families {
  const families = new Map<string, { type: string; samples: Sample[] }>();
  let samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const [, name, type = ''] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
    if (name !== undefined) families.set(name, { type, samples: (samples = []) });
    else if (line !== '' && !line.startsWith('# HELP ')) samples.push(parseSample(line));
  }
  return families;
}

function parseSample(line: string): Sample {
  const [, name, labels = '', value = ''] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  const pairs = labels.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g);
  return {
    name,
    labels: Object.fromEntries(Array.from(pairs, ([, label, text]) => [label!, JSON.parse(text!) as string])),
    value: Number(value.replace('Inf', 'Infinity')),
  };
}

/** The value of the only series with this name and these labels. */
export function valueOf(families: Families, name: string, labels: Labels = {}): number | undefined {
  const wanted = Object.entries(labels);
  const found = [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter((one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value));
  if (found.length > 1) throw new Error(`${name} ${JSON.stringify(labels)} names ${found.length} series`);
  return found[0]?.value;
}
