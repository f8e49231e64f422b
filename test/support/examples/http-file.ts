import type { ExampleRequest } from './playback.js';

export interface HttpFile {
  /** Those that stand before the first request. */
  readonly variables: Record<string, string>;
  readonly requests: readonly ExampleRequest[];
}

const VARIABLE = /^@(\w+)\s*=\s*(.*)$/;

/** Reads an `.http` file, as far as the examples need it: sections that `###` begins, each with one request. */
export function readHttpFile(text: string): HttpFile {
  const [head = '', ...sections] = text.split(/^###.*\n/m);
  return { variables: variablesIn(head.split('\n')), requests: sections.map(requestIn) };
}

function variablesIn(lines: readonly string[]): Record<string, string> {
  const matches = lines.map((line) => VARIABLE.exec(line)).filter((match) => match !== null);
  return Object.fromEntries(matches.map(([, name, value]) => [name!, value!]));
}

function requestIn(section: string): ExampleRequest {
  const [head = '', ...body] = section.slice(section.search(/^[A-Z]+ /m)).split('\n\n');
  const [requestLine = '', ...headerLines] = head.trim().split('\n');
  const [method = '', url = ''] = requestLine.split(' ');
  return {
    name: /^# @name (\w+)$/m.exec(section)![1]!,
    method,
    url,
    headers: Object.fromEntries(headerLines.map((line) => line.split(/: (.*)/, 2) as [string, string])),
    body: body.join('\n\n').trim() || undefined,
    expected: /^# @expects .*$/m.exec(section)?.[0].match(/\d{3}/g)?.map(Number) ?? [],
    variables: variablesIn(section.split('\n')),
  };
}
