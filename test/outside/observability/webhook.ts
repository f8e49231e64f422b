import type { Program } from '../../support/program.js';
import { timeUntil } from '../../support/until.js';

/** Run by a Node of its own: writes every notification in a line. */
export const WEBHOOK = `require('node:http').createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part)).on('end', () => {
    if (body !== '') process.stdout.write(body + '\\n');
    response.end();
  });
}).listen(Number(process.argv[1]), '127.0.0.1')`;

interface Notification {
  readonly alerts: readonly { readonly status: string; readonly labels: Readonly<Record<string, string>> }[];
}

/** What people would have been told. */
export class Webhook {
  constructor(private readonly program: Program) {}

  /** Seconds until the alert has been told to fire, or to fire no longer; Infinity when it was not in time. */
  async told(firing: boolean, alert: string, instance: string, within: number): Promise<number> {
    return (await timeUntil(() => this.fires(alert, instance) === firing, within * 1000, 250)) / 1000;
  }

  private fires(alert: string, instance: string): boolean {
    const states = new Map<string, string>();
    const lines = this.program.output.split('\n').slice(0, -1); // the last may still be on its way
    for (const line of lines.filter((text) => text !== ''))
      for (const { status, labels } of (JSON.parse(line) as Notification).alerts)
        if (labels['alertname'] === alert && (labels['instance'] ?? instance) === instance)
          states.set(JSON.stringify(labels), status);
    return [...states.values()].includes('firing');
  }
}
