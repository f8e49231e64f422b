import { code, showResponse, statusLine } from './response.js';
import { curl } from './curl.js';
import { element } from './dom.js';
import { heading, meaning } from './meaning.js';
import { RequestForm } from './request-form.js';

/** One operation: its meaning, its request as a form and in curl, and the response. */
export class Operation {
  #send;
  #form;
  #sample = element('div.sample');
  #response = element('div.response', { role: 'group', 'aria-label': 'Response', 'aria-live': 'polite' });

  /** `send` takes the operation and the request, and resolves to the response. */
  constructor(openapi, operation, send) {
    this.operation = operation;
    this.#send = send;
    this.#form = new RequestForm(openapi, operation, () => void this.#execute());
    this.#form.element.addEventListener('input', () => this.#showSample());
    this.#showExample();
    this.element = element(
      'section.operation',
      { id: operation.id },
      element('div.ask', heading(operation), this.#form.element),
      element('div.panel', this.#sample, this.#response),
      element('div.meaning', meaning(openapi, operation)),
    );
  }

  fill(valueOf, rewriteBody) {
    this.#form.fill(valueOf, rewriteBody);
    this.#showSample();
  }

  #showSample() {
    this.#sample.replaceChildren(code(curl(this.#form.read())));
  }

  async #execute() {
    const button = this.#form.element.querySelector('button.primary');
    button.disabled = true;
    this.#response.replaceChildren(element('p.status', 'Waiting for the response …'));
    try {
      this.#response.replaceChildren(...showResponse(await this.#send(this.operation, this.#form.read())));
    } catch (error) {
      this.#response.replaceChildren(element('p.status.bad', { role: 'alert' }, error.message));
    } finally {
      button.disabled = false;
    }
    bringIntoView(this.#response);
  }

  #showExample() {
    const [{ status, example }] = this.operation.responses;
    if (example === undefined) return;
    this.#response.append(
      statusLine('p.status', status, 'example response'),
      code(JSON.stringify(example, undefined, 2), true),
    );
  }
}

/** On a wide screen the response is beside the request; on a phone it may be off the screen. */
function bringIntoView(response) {
  const { top } = response.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 240) response.scrollIntoView({ block: 'start' });
}
