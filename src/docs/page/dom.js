export const byId = (id) => document.getElementById(id);

/**
 * An element with its classes (`p.status`), its attributes and listeners (`onclick`) where there are any, and its
 * children, also in lists. Null, undefined and false are left out.
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

/** A button that copies the result of `read`. */
export function copyButton(read) {
  const button = element('button.copy', { type: 'button' }, 'Copy');
  copyOnClick(button, read);
  return button;
}

/** Makes a button copy the result of `read` and confirm it. */
export function copyOnClick(button, read) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(read());
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = label), 2000);
  });
}

/** Details behind one line, closed at first. */
export function folded(summary, ...children) {
  return element('details.quiet', element('summary', summary), ...children);
}
