import { code, showAnswer, statusLine } from './answer.js';
import { element } from './dom.js';
import { heading, meaning } from './meaning.js';
import { RequestForm } from './request-form.js';
import { SAMPLES } from './samples.js';

/** One operation: what it means, the request to fill in, and beside it how it is written and what comes back. */
export class Operation {
  #send;
  #form;
  #sample = element('div.sample');
  #answer = element('div.answer', { role: 'group', 'aria-label': 'Answer', 'aria-live': 'polite' });

  /** `send` takes the operation and the request, and resolves to the answer. */
  constructor(openapi, operation, send) {
    this.operation = operation;
    this.#send = send;
    this.#form = new RequestForm(openapi, operation, () => void this.#execute());
    this.#form.element.addEventListener('input', () => this.showSample());
    this.#showExample();
    this.element = element(
      'section.operation',
      { id: operation.id },
      element('div.ask', heading(operation), this.#form.element),
      element('div.panel', this.#sample, this.#answer),
      element('div.meaning', meaning(openapi, operation)),
    );
  }

  fill(valueOf, rewriteBody) {
    this.#form.fill(valueOf, rewriteBody);
    this.showSample();
  }

  showSample() {
    const language = localStorage.getItem(Operation.LANGUAGE) ?? 'curl';
    const tabs = Object.keys(SAMPLES).map((name) => {
      const pressed = String(name === language);
      const about = { type: 'button', 'aria-pressed': pressed, onclick: () => choose(name) };
      return element('button', about, name);
    });
    const write = SAMPLES[language] ?? SAMPLES.curl;
    this.#sample.replaceChildren(
      element('div.tabs', { role: 'group', 'aria-label': 'Language' }, tabs),
      code(write(this.#form.read())),
    );
  }

  async #execute() {
    const button = this.#form.element.querySelector('button.primary');
    button.disabled = true;
    this.#answer.replaceChildren(element('p.status', 'Waiting for the answer …'));
    try {
      this.#answer.replaceChildren(...showAnswer(await this.#send(this.operation, this.#form.read())));
    } catch (error) {
      this.#answer.replaceChildren(element('p.status.bad', { role: 'alert' }, error.message));
    } finally {
      button.disabled = false;
    }
    bringIntoView(this.#answer);
  }

  #showExample() {
    const [{ status, example }] = this.operation.answers;
    if (example === undefined) return;
    this.#answer.append(
      statusLine('p.status', status, 'an example of the answer'),
      code(JSON.stringify(example, undefined, 2), true),
    );
  }
}

Operation.LANGUAGE = 'property-finance:language';

function choose(language) {
  localStorage.setItem(Operation.LANGUAGE, language);
  dispatchEvent(new Event('language'));
}

/** On a wide screen the answer is beside the request; on a phone it may be above or below what is seen. */
function bringIntoView(answer) {
  const { top } = answer.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 240) answer.scrollIntoView({ block: 'start' });
}
