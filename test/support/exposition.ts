/** One line of a scrape that carries a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const ABOUT = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL})(?:,${LABEL})*)\\})? (\\S+)$`);
const VALUE = /^(?:[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|NaN|[-+]Inf)$/;

/** Which names the samples of a family may have, beyond its own. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  untyped: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Reads Prometheus' text format 0.0.4, and throws at anything that it does not allow. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let help: { readonly name: string; readonly text: string } | undefined;
  let current: { readonly name: string; readonly family: Family } | undefined;
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, keyword, about = '', rest = ''] = ABOUT.exec(line) ?? [];
    if (keyword === 'HELP') {
      help = { name: about, text: rest };
    } else if (keyword === 'TYPE') {
      if (families.has(about) || help?.name !== about || !(rest in SUFFIXES)) throw new Error(`bad: ${line}`);
      current = { name: about, family: { type: rest, help: help.text, samples: [] } };
      families.set(about, current.family);
    } else {
      const sample = parseSample(line);
      const series = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
      const names = SUFFIXES[current?.family.type ?? '']?.map((suffix) => `${current?.name ?? ''}${suffix}`);
      if (names?.includes(sample.name) !== true) throw new Error(`not under its TYPE: ${line}`);
      if (seen.has(series)) throw new Error(`twice: ${line}`);
      seen.add(series);
      current?.family.samples.push(sample);
    }
  }
  return families;
}

function parseSample(line: string): Sample {
  const [, name, labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !VALUE.test(value)) throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(new RegExp(LABEL, 'g'))].map(([pair]): [string, string] => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, equals), JSON.parse(pair.slice(equals + 1)) as string];
  });
  if (new Set(pairs.map(([label]) => label)).size < pairs.length) throw new Error(`a label twice: ${line}`);
  return { name, labels: Object.fromEntries(pairs), value: Number(value.replace('Inf', 'Infinity')) };
}

/** The value of the one series of this name with these labels; undefined when there is none. */
export function valueOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  const found = [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter(
      (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
    );
  if (found.length > 1) throw new Error(`${name} ${JSON.stringify(labels)} names ${found.length} series`);
  return found[0]?.value;
}
