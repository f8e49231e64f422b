import { parse } from 'lossless-json';
import { headerFaults, problemFaults } from '../support/problem-document.js';
import { faultsOf } from '../support/outcome.js';
import type { WireAnswer } from '../support/wire.js';
import { difference, type JsonObject } from './difference.js';
import { fileMismatch } from './files.js';
import type { Outcome } from './outcomes.js';

/** Why an answer is not this outcome; undefined when it is. */
export function mismatch(outcome: Outcome, answer: WireAnswer, path: string): string | undefined {
  if (answer.status !== outcome.status)
    return `status ${answer.status} instead of ${outcome.status} ${outcome.slug ?? ''}: ${answer.text.slice(0, 500)}`;
  const [fault] = outcome.slug === undefined ? headerFaults(answer) : problemFaults(answer, path);
  return (
    fault ??
    headerMismatch(outcome, answer) ??
    (outcome.slug === undefined ? bodyMismatch(outcome, answer) : problemMismatch(outcome, answer))
  );
}

function headerMismatch({ headers = {} }: Outcome, answer: WireAnswer): string | undefined {
  for (const [name, expected] of Object.entries(headers)) {
    const actual = answer.headers.get(name) ?? undefined;
    const same = name === 'allow' ? inOrder(actual) === inOrder(expected) : actual === expected;
    if (!same) return `header ${name} is ${actual} instead of ${expected}`;
  }
  return undefined;
}

function inOrder(list = ''): string {
  return list.split(', ').sort().join(', ');
}

function problemMismatch({ slug, faults, members = {} }: Outcome, { text }: WireAnswer): string | undefined {
  const { type } = JSON.parse(text) as { type: string };
  if (!type.endsWith(`:${slug}`)) return `${type} instead of ${slug}`;
  const told = parse(text) as JsonObject;
  for (const [name, expected] of Object.entries(members)) {
    const found = difference(expected, told[name], `.${name}`);
    if (found !== undefined) return found;
  }
  const named = faultsOf({ text }).join(' ');
  return faults === undefined || named === faults.join(' ')
    ? undefined
    : `errors of ${named} instead of ${faults.join(' ')}`;
}

function bodyMismatch({ body, file }: Outcome, answer: WireAnswer): string | undefined {
  if (file !== undefined) return fileMismatch(file, answer);
  const { headers, text } = answer;
  if (body === undefined) {
    if (text !== '') return `a body ${text.slice(0, 200)}`;
    return headers.has('content-type') ? `a content-type without a body` : undefined;
  }
  if (!/^application\/json\b/.test(headers.get('content-type') ?? ''))
    return `content-type ${headers.get('content-type')}`;
  return difference(body, parse(text));
}
