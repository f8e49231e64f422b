import { byId as $, element } from './dom.js';
import { methodName } from './meaning.js';

/** The list of all operations: it can be searched, it marks the place where the reader is, and on a phone it opens. */
export class Contents {
  #entries = [];

  constructor(groups) {
    for (const { name, operations } of groups) {
      const entries = operations.map(entry);
      const items = entries.map(({ item }) => item);
      $('contents-list').append(element('section', element('h2', name), element('ul', items)));
      this.#entries.push(...entries);
    }
    $('search').addEventListener('input', () => this.#search());
    $('search').addEventListener('keydown', ({ key }) => key === 'Enter' && this.#goToFirst());
    $('contents-list').addEventListener('click', () => this.#open(false));
    $('contents-toggle').addEventListener('click', () => this.#open(!this.#isOpen));
    addEventListener('keydown', (event) => this.#onKey(event));
    this.#watch();
  }

  get #isOpen() {
    return $('contents-toggle').getAttribute('aria-expanded') === 'true';
  }

  #open(isOpen) {
    $('contents-toggle').setAttribute('aria-expanded', String(isOpen));
    if (isOpen) $('search').focus();
  }

  #onKey(event) {
    if (event.key === 'Escape') this.#open(false);
    if (event.key !== '/' || /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
    event.preventDefault();
    $('search').focus();
  }

  /** Finds the operations with every searched word in their name, path, description or fields. */
  #search() {
    const words = $('search').value.toLowerCase().split(/\s+/);
    for (const { item, text } of this.#entries) item.hidden = !words.every((word) => text.includes(word));
    for (const section of $('contents-list').children)
      section.hidden = section.querySelector('li:not([hidden])') === null;
    $('contents-none').hidden = this.#entries.some(({ item }) => !item.hidden);
  }

  #goToFirst() {
    this.#entries.find(({ item }) => !item.hidden)?.link.click();
  }

  /** Marks the operation at the top of the screen. */
  #watch() {
    const seen = new Set();
    const observer = new IntersectionObserver(
      (changes) => {
        for (const { target, isIntersecting } of changes) seen[isIntersecting ? 'add' : 'delete'](target.id);
        this.#mark(this.#entries.find(({ id }) => seen.has(id)));
      },
      { rootMargin: '-25% 0px -70% 0px' },
    );
    for (const { id } of this.#entries) observer.observe($(id));
  }

  #mark(current) {
    for (const { link } of this.#entries) link.removeAttribute('aria-current');
    current?.link.setAttribute('aria-current', 'location');
    current?.link.scrollIntoView({ block: 'nearest' });
  }
}

function entry({ id, method, path, summary, description, body, parameters }) {
  const name = methodName(method, method === 'DELETE' ? 'del' : method);
  const link = element('a', { href: `#${id}`, title: `${method} ${path}` }, name, summary);
  const fields = [...Object.keys(body?.example ?? {}), ...parameters.map((parameter) => parameter.name)];
  const text = [method, path, id, summary, description, ...fields].join(' ').toLowerCase();
  return { id, link, text, item: element('li', link) };
}
