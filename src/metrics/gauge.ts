import { Gauge, type Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;
type Reading = number | undefined | readonly (readonly [Labels, number])[];

export interface About {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** A gauge that is read at each scrape: a number, or one for each combination of labels. */
export function gauge(
  registry: Registry,
  { labelNames = [], ...about }: About,
  read: () => Reading | Promise<Reading>,
): void {
  new Gauge({
    ...about,
    labelNames,
    registers: [registry],
    async collect() {
      const reading = await read();
      this.reset();
      if (typeof reading === 'number') this.set(reading);
      else for (const [labels, value] of reading ?? []) this.set(labels, value);
    },
  });
}
