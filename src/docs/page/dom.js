export const byId = (id) => document.getElementById(id);

/**
 * An element with its classes (`p.status`), its attributes and listeners (`onclick`) where there are any, and its
 * children, also in lists. What is null, undefined or false is left out.
 */
export function element(selector, ...children) {
  const [name, ...classes] = selector.split('.');
  const made = document.createElement(name);
  if (classes.length > 0) made.className = classes.join(' ');
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  for (const [attribute, value] of Object.entries(attributes).filter(([, given]) => isShown(given))) {
    if (typeof value === 'function') made.addEventListener(attribute.slice(2), value);
    else made.setAttribute(attribute, value === true ? '' : value);
  }
  made.append(...children.flat(Infinity).filter(isShown));
  return made;
}

function isShown(value) {
  return value !== undefined && value !== null && value !== false;
}

/** A button that copies what `read` gives at that moment. */
export function copyButton(read) {
  const button = element('button.copy', { type: 'button' }, 'Copy');
  copyOnClick(button, read);
  return button;
}

/** Lets a button copy what `read` gives at that moment, and say that it has. */
export function copyOnClick(button, read) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(read());
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = label), 2000);
  });
}

/** What is there for whoever wants it, behind one quiet line. */
export function folded(summary, ...children) {
  return element('details.quiet', element('summary', summary), ...children);
}
