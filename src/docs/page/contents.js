const METHODS = ['get', 'post', 'put', 'delete'];

/** The list of all operations beside them, by tag, from the API document. */
export function listOperations(nav, { paths, tags = [] }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({ path, method, ...item[method] })),
  );
  for (const { name } of tags) {
    const own = operations.filter((operation) => operation.tags?.includes(name));
    nav.append(element('h2', {}, name), element('ul', {}, ...own.map((operation) => entry(name, operation))));
  }
}

function entry(tag, { method, path, operationId, summary }) {
  const href = `#/${encodeURIComponent(tag)}/${operationId}`;
  const badge = element('span', { class: `method ${method}` }, method === 'delete' ? 'del' : method);
  return element(
    'li',
    {},
    element('a', { href, title: `${method.toUpperCase()} ${path}` }, badge, summary ?? path),
  );
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}
