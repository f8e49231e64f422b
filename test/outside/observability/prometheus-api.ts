/** One series: its labels, and values with their times in seconds. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
}

interface Rule {
  readonly name: string;
  readonly health: string;
}

/** What Prometheus answers to dashboards and to us. */
export class PrometheusApi {
  constructor(private readonly url: string) {}

  /** The one value of an expression now; NaN when there is none. */
  async value(query: string): Promise<number> {
    const { result } = await this.ask<{ result: { value: [number, string] }[] }>('query', { query });
    return Number(result[0]?.value[1] ?? NaN);
  }

  /** Over these times, in seconds. */
  async range(query: string, start: number, end: number, step: number): Promise<readonly Series[]> {
    const parameters = { query, start: String(start), end: String(end), step: String(step) };
    return (await this.ask<{ result: Series[] }>('query_range', parameters)).result;
  }

  async labelValues(label: string, expression: string): Promise<readonly string[]> {
    return this.ask<string[]>(`label/${label}/values`, { 'match[]': expression });
  }

  async rules(): Promise<readonly Rule[]> {
    const { groups } = await this.ask<{ groups: { rules: Rule[] }[] }>('rules', {});
    return groups.flatMap(({ rules }) => rules);
  }

  private async ask<T>(what: string, parameters: Record<string, string>): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1/${what}?${String(new URLSearchParams(parameters))}`);
    const { data, error } = (await answer.json()) as { data: T; error?: string };
    if (!answer.ok) throw new Error(`${JSON.stringify(parameters)}: ${error ?? answer.status}`);
    return data;
  }
}
