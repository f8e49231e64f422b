/** An element with its attributes, listeners (`onclick`) and children. What is null, undefined or false is left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(attribute.slice(2), value);
    else if (value !== undefined && value !== null && value !== false)
      made.setAttribute(attribute, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

/** A button that copies what `read` gives at that moment, and says that it has. */
export function copyButton(read, label = 'Copy') {
  const button = element('button', { type: 'button', class: 'copy' }, label);
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(read()).then(() => {
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = label), 2000);
    });
  });
  return button;
}

/** What is there for whoever wants it, behind one quiet line. */
export function folded(summary, ...children) {
  return element('details', { class: 'quiet' }, element('summary', {}, summary), ...children);
}
