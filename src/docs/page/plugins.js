import { layOut } from './exact-json.js';

/** A plugin: shows JSON answers with their exact digits, and says above a problem document what it means. */
export function ExactAnswers({ React }) {
  const h = React.createElement;

  const Problem = ({ title, detail, errors = {} }) => {
    const faults = Object.entries(errors).map(([field, fault]) =>
      h(React.Fragment, { key: field }, h('dt', null, field), h('dd', null, fault)),
    );
    return h(
      'div',
      { className: 'problem', role: 'alert' },
      h('strong', null, title),
      h('p', null, detail),
      faults.length > 0 && h('dl', null, faults),
    );
  };

  const ExactBody = ({ text, problem, getComponent }) => {
    const HighlightCode = getComponent('HighlightCode', true);
    const options = { language: 'json', downloadable: true, fileName: 'answer.json', canCopy: true };
    return h(
      'div',
      null,
      problem && h(Problem, problem),
      h('h5', null, 'Response body'),
      h(HighlightCode, options, text),
    );
  };

  const responseBody = (Original) => (props) => {
    const { content, contentType = '', getComponent } = props;
    const text = /\bjson\b/i.test(contentType) ? tryLayOut(content) : undefined;
    if (text === undefined) return h(Original, props);
    const problem = contentType.includes('problem+json') ? JSON.parse(content) : undefined;
    return h(ExactBody, { text, problem, getComponent });
  };

  return { wrapComponents: { responseBody } };
}

function tryLayOut(content) {
  try {
    return layOut(content);
  } catch {
    return undefined;
  }
}

/** A plugin: of the many ways in which an operation can fail, only what they mean is seen until one is opened. */
export function FoldedProblems({ React }) {
  const h = React.createElement;

  const Folded = ({ Original, props }) => {
    const [isOpen, setOpen] = React.useState(false);
    const { code, response, getComponent } = props;
    const Markdown = getComponent('Markdown', true);
    const button = {
      type: 'button',
      className: 'fold',
      'aria-expanded': isOpen,
      'aria-label': `Example of ${code}`,
      onClick: () => setOpen(!isOpen),
    };
    const row = h(
      'tr',
      { className: 'response folded' },
      h('td', { className: 'response-col_status' }, code),
      h(
        'td',
        { className: 'response-col_description' },
        h('button', button, isOpen ? 'Hide' : 'Example'),
        h(Markdown, { source: response.get('description') }),
      ),
    );
    return h(React.Fragment, null, row, isOpen && h(Original, props));
  };

  const response = (Original) => (props) =>
    props.code >= '400' ? h(Folded, { Original, props }) : h(Original, props);

  return { wrapComponents: { response } };
}

/**
 * A plugin: leaves headers empty that need not be sent. Their examples would be sent as they are, and an If-Match
 * that is only an example fails.
 */
export function EmptyHeaders() {
  const updateJsonSpec = (original) => (openapi) => {
    const empty = structuredClone(openapi);
    for (const parameter of Object.values(empty.components.parameters)) {
      if (parameter.in === 'header') delete parameter.example;
    }
    return original(empty);
  };
  return { statePlugins: { spec: { wrapActions: { updateJsonSpec } } } };
}

/** A plugin: an operation that the address names is scrolled to where the bar does not cover it. */
export function ScrollBelowBar() {
  const scrollToElement = () => (element) => {
    element.scrollIntoView();
    return { type: 'scrolled' };
  };
  return { statePlugins: { layout: { wrapActions: { scrollToElement } } } };
}
