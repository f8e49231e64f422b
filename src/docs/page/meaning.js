import { code } from './response.js';
import { element, folded } from './dom.js';
import { fieldList } from './fields.js';
import { inline, markdown } from './markdown.js';

/** The name of an operation and its description. */
export function heading({ id, summary, description, method, path }) {
  return [
    element('h3', element('a', { href: `#${id}` }, summary)),
    element('p.target', methodName(method), element('code', path)),
    ...markdown(description),
  ];
}

export function methodName(method, text = method) {
  return element(`span.method.${method.toLowerCase()}`, text);
}

/** The fields of the request and the response. Failures and common headers are folded up. */
export function meaning(openapi, { body, responses }) {
  const good = responses.filter(({ status }) => status < '400');
  const bad = responses.filter(({ status }) => status >= '400');
  return [
    body && [element('h4', 'Body'), fieldList(openapi, body.schema, { ofRequest: true })],
    good.map(({ status, description, schema }) => [
      element('h4', `Response ${status}`),
      markdown(description),
      schema && fieldList(openapi, schema),
    ]),
    headersOf(good),
    folded(`Failures: ${bad.map(({ status }) => status).join(', ')}`, bad.map(failure)),
  ];
}

function headersOf(responses) {
  const named = responses.flatMap(({ headers }) => headers.map((header) => [header.name, header]));
  const headers = new Map(named);
  const entries = [...headers.values()].map(({ name, description }) => [
    element('dt', element('code', name)),
    element('dd', inline(description)),
  ]);
  return folded(`Headers: ${[...headers.keys()].join(', ')}`, element('dl.fields', entries));
}

function failure({ status, description, examples = {} }) {
  const shown = Object.entries(examples).map(([name, { value }]) =>
    folded(`Example: ${name}`, code(JSON.stringify(value, undefined, 2), true)),
  );
  return element('section.failure', element('h5', status), element('div', markdown(description)), shown);
}
