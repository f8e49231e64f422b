import { problemFaults, type Told } from './problem-document.js';

/**
 * A status as text, with the slug of a problem: `200`, `409 duplicate-email`. A failure without a well-formed problem
 * document has its faults in place of the slug, and so equals no expectation.
 */
export function outcomeOf(answer: Told): string {
  if (answer.status < 400) return String(answer.status);
  const faults = problemFaults(answer);
  return `${answer.status} ${faults.length === 0 ? slugOf(answer) : `but ${faults.join(', ')}`}`;
}

function slugOf({ text }: Told): string {
  return (JSON.parse(text) as { type: string }).type.replace(/^.*:/, '');
}

/** The names of the faulty fields in a problem, in alphabetical order. */
export function faultsOf(answer: Pick<Told, 'text'>): string[] {
  const { errors = {} } = JSON.parse(answer.text) as { errors?: Record<string, string> };
  return Object.keys(errors).sort();
}
