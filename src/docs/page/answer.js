import { copyButton, element, folded } from './dom.js';
import { highlight, layOut } from './exact-json.js';

/** An answer of the service as the reader sees it. */
export function showAnswer({ status, statusText, headers, text, milliseconds }) {
  const type = headers.get('content-type') ?? '';
  const isJson = /\bjson\b/i.test(type);
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const kind = status < 400 ? 'good' : 'bad';
  return [
    element(
      'p',
      { class: `status ${kind}` },
      element('strong', {}, `${status} ${statusText}`.trim()),
      element('span', {}, `${Math.round(milliseconds)} ms`),
    ),
    type.includes('problem+json') && showProblem(JSON.parse(text)),
    text === '' ? element('p', { class: 'empty' }, 'No body.') : code(isJson ? layOut(text) : text, isJson),
    folded(`${lines.length} headers`, element('pre', { class: 'code' }, lines.join('\n'))),
  ].filter(Boolean);
}

/** Text in the look of a program, to be copied. */
export function code(text, isJson = false) {
  const shown = element('code', {}, ...(isJson ? highlight(text) : [text]));
  return element(
    'pre',
    { class: 'code', tabindex: '0' },
    copyButton(() => text),
    shown,
  );
}

function showProblem({ title, detail, errors = {} }) {
  const faults = Object.entries(errors).flatMap(([field, fault]) => [
    element('dt', {}, field),
    element('dd', {}, fault),
  ]);
  return element(
    'div',
    { class: 'problem', role: 'alert' },
    element('strong', {}, title),
    element('p', {}, detail),
    faults.length > 0 && element('dl', {}, ...faults),
  );
}
