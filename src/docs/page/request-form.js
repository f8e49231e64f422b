import { element, folded } from './dom.js';
import { choices, flatten, term } from './fields.js';
import { inline } from './markdown.js';

const JSON_TYPE = 'application/json';
const FILE_TYPES = { '.csv': 'text/csv', '.ndjson': 'application/x-ndjson' };
/** A parameter of every operation, shown apart from the others. */
const COMMON = 'X-Request-Id';

/** The form of a request, and its values. */
export class RequestForm {
  #operation;
  #inputs;
  #body;
  #type;

  constructor(openapi, operation, onSubmit) {
    const { id, parameters, body } = operation;
    this.#operation = operation;
    this.#inputs = new Map(parameters.map((parameter) => [parameter, input(openapi, id, parameter)]));
    this.#body = body && editor(id, body.example);
    this.#type = body?.type;
    const rows = (own) => own.map((parameter) => this.#row(openapi, parameter, `${id}-${parameter.name}`));
    const type = element('small', body?.type === JSON_TYPE ? 'JSON' : body?.type);
    this.element = element(
      'form.request',
      { onsubmit: (event) => submit(event, onSubmit) },
      rows(parameters.filter(({ name }) => name !== COMMON)),
      this.#body && [element('label.body', { for: `${id}-body` }, 'Body', type), this.#body],
      body && body.type !== JSON_TYPE && this.#filePicker(id),
      element('div.send', element('button.primary', { type: 'submit' }, 'Execute')),
      folded(`Optional: ${COMMON}`, rows(parameters.filter(({ name }) => name === COMMON))),
    );
  }

  /** The request as it is filled in. A parameter that is missing in the path stays there by its name. */
  read() {
    const { method, path, needsToken } = this.#operation;
    const headers = needsToken ? { authorization: 'Bearer' } : {};
    const query = new URLSearchParams();
    let target = path;
    for (const [{ in: place, name, schema }, { value }] of this.#inputs) {
      if (value === '') continue;
      if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
      else if (place === 'header') headers[name.toLowerCase()] = value;
      else for (const one of schema.type === 'array' ? value.split(/\s+/) : [value]) query.append(name, one);
    }
    if (this.#body) headers['content-type'] = this.#type;
    const search = query.size === 0 ? '' : `?${String(query).replaceAll('%2C', ',')}`;
    const url = new URL(target.slice(1), document.baseURI).href.replace(/%7B(\w+)%7D/g, '{$1}') + search;
    return { method, url, headers, body: this.#body?.value };
  }

  /** Replaces examples by the reader's own rows, except in fields that the reader has changed. */
  fill(valueOf, rewriteBody) {
    for (const [{ in: place, name }, field] of this.#inputs) {
      if (place === 'path') refill(field, valueOf(name));
    }
    const { example } = this.#operation.body ?? {};
    if (this.#body) refill(this.#body, rewriteBody(example));
  }

  /** Puts a chosen file into the body. */
  #filePicker(id) {
    const picker = element('input', {
      type: 'file',
      id: `${id}-file`,
      accept: Object.keys(FILE_TYPES).join(),
    });
    picker.addEventListener('change', async () => {
      const [file] = picker.files;
      if (file === undefined) return;
      const text = await file.text();
      picker.setCustomValidity(text.includes('\ufffd') ? 'This file is not UTF-8.' : '');
      if (!picker.reportValidity()) return;
      this.#type = FILE_TYPES[/\.\w+$/.exec(file.name)?.[0]] ?? this.#type;
      this.#body.value = text;
      this.#body.dispatchEvent(new Event('input', { bubbles: true }));
    });
    return [element('label.body', { for: picker.id }, 'Or a file'), picker];
  }

  #row(openapi, parameter, id) {
    const { name, required, description, schema } = parameter;
    const field = this.#inputs.get(parameter);
    return element(
      'div.parameter',
      element('label', { for: id }, term(openapi, name, schema, required)),
      field,
      description && element('p', inline(description)),
      field.localName === 'input' && choices(flatten(openapi, schema.items ?? schema)),
    );
  }
}

function input(openapi, id, parameter) {
  const { name, required, example, schema, in: place } = parameter;
  const { type, enum: values = type === 'boolean' ? [true, false] : undefined } = flatten(openapi, schema);
  if (values !== undefined) {
    const options = ['', ...values].map((value) => element('option', String(value)));
    return element('select', { id: `${id}-${name}`, name, required }, options);
  }
  const hint = schema.default ?? (place === 'header' ? undefined : example);
  return element('input', {
    id: `${id}-${name}`,
    name,
    required,
    placeholder: hint === undefined ? undefined : `${schema.default === undefined ? 'e.g. ' : ''}${hint}`,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
  });
}

function editor(id, example) {
  const made = element('textarea', { id: `${id}-body`, spellcheck: 'false', autocapitalize: 'none' });
  refill(made, example);
  return made;
}

function refill(field, value = '') {
  const text = typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value);
  if (field.value !== (field.dataset.filled ?? '')) return;
  field.value = text;
  field.dataset.filled = field.value; // with the line breaks of a textarea
  if ('rows' in field) field.rows = text.split('\n').length; // where a browser does not size it by itself
}

function submit(event, onSubmit) {
  event.preventDefault();
  onSubmit();
}
