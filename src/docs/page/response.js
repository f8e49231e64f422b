import { copyButton, element, folded } from './dom.js';
import { highlight, layOut } from './exact-json.js';

/** A response of the service for the reader. */
export function showResponse({ status, statusText, headers, text, file, milliseconds }) {
  const type = headers.get('content-type') ?? '';
  const isJson = /\bjson\b/i.test(type);
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const line = status < 400 ? 'p.status.good' : 'p.status.bad';
  return [
    statusLine(line, `${status} ${statusText}`.trim(), `${Math.round(milliseconds)} ms`),
    type.includes('problem+json') && showProblem(JSON.parse(text)),
    status < 400 && download(headers.get('content-disposition'), file),
    text === '' ? element('p.empty', 'No body.') : code(isJson ? layOut(text) : text, isJson),
    folded(`${lines.length} headers`, element('pre.code', lines.join('\n'))),
  ].filter(Boolean);
}

/** A link to download the response, byte for byte. */
function download(disposition, file) {
  const name = /filename="([^"]+)"/.exec(disposition ?? '')?.[1];
  return (
    name &&
    element('p', element('a', { href: URL.createObjectURL(file), download: name }, `Download ${name}`))
  );
}

export function statusLine(selector, status, remark) {
  return element(selector, element('strong', status), element('span', remark));
}

/** Text in the look of a program, to be copied. */
export function code(text, isJson = false) {
  const copy = copyButton(() => text);
  return element('pre.code', { tabindex: '0' }, copy, element('code', isJson ? highlight(text) : text));
}

function showProblem({ title, detail, errors = {} }) {
  const faults = Object.entries(errors).flatMap(([field, fault]) => [
    element('dt', field),
    element('dd', fault),
  ]);
  const list = faults.length > 0 && element('dl', faults);
  return element('div.problem', { role: 'alert' }, element('strong', title), element('p', detail), list);
}
