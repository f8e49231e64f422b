import { code } from './answer.js';
import { element, folded } from './dom.js';
import { fieldList } from './fields.js';
import { inline, markdown } from './markdown.js';

/** What an operation is called and what it does. */
export function heading({ id, summary, description, method, path }) {
  return [
    element('h3', {}, element('a', { href: `#${id}` }, summary)),
    element(
      'p',
      { class: 'target' },
      element('span', { class: `method ${method.toLowerCase()}` }, method),
      element('code', {}, path),
    ),
    ...markdown(description),
  ];
}

/** The fields that an operation takes and answers; how it can fail, and what every answer has, is folded up. */
export function meaning(openapi, { body, answers }) {
  const [good, bad] = [
    answers.filter(({ status }) => status < '400'),
    answers.filter(({ status }) => status >= '400'),
  ];
  return [
    body && element('h4', {}, 'Body'),
    body && fieldList(openapi, body.schema, { ofRequest: true }),
    ...good.flatMap((answer) => [
      element('h4', {}, `Answer ${answer.status}`),
      ...markdown(answer.description),
      answer.schema && fieldList(openapi, answer.schema),
    ]),
    headersOf(good),
    folded(`Failures: ${bad.map(({ status }) => status).join(', ')}`, ...bad.map(failure)),
  ].filter(Boolean);
}

function headersOf(answers) {
  const headers = new Map(answers.flatMap((answer) => answer.headers.map((header) => [header.name, header])));
  const entries = [...headers.values()].flatMap(({ name, description }) => [
    element('dt', {}, element('code', {}, name)),
    element('dd', {}, inline(description)),
  ]);
  return folded(`Headers: ${[...headers.keys()].join(', ')}`, element('dl', { class: 'fields' }, ...entries));
}

function failure({ status, description, examples = {} }) {
  return element(
    'section',
    { class: 'failure' },
    element('h5', {}, status),
    element('div', {}, ...markdown(description)),
    ...Object.entries(examples).map(([name, { value }]) =>
      folded(`Example: ${name}`, code(JSON.stringify(value, undefined, 2), true)),
    ),
  );
}
