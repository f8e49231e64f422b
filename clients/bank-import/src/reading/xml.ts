import sax from 'sax';
import { Refusal } from '../faults.js';

/** An element of XML, or of the SGML of OFX 1, where the end of an element with a text may be left out. */
export class Element {
  readonly children: Element[] = [];
  text = '';

  constructor(
    readonly name: string,
    readonly attributes: Readonly<Record<string, string>> = {},
  ) {}

  /** All elements at the path below this one. */
  all(path: string): Element[] {
    const [name, ...rest] = path.split('/');
    const found = this.children.filter((child) => child.name === name);
    return rest.length === 0 ? found : found.flatMap((child) => child.all(rest.join('/')));
  }

  /** The text at the first of the paths that has one. */
  at(...paths: readonly string[]): string {
    const texts = paths.flatMap((path) => this.all(path)).map(({ text }) => text.trim());
    return texts.find((text) => text !== '') ?? '';
  }

  /** The first text of that name at any depth: in SGML an empty element has no end, and holds the next. */
  within(name: string): string {
    for (const child of this.children) {
      const text = (child.name === name && child.text.trim()) || child.within(name);
      if (text !== '') return text;
    }
    return '';
  }
}

/** Reads the elements, named without their namespace. `isStrict` is false for OFX. */
export function elementsIn(text: string, isStrict: boolean): Element {
  const parser = sax.parser(isStrict, { position: true, ...{ unquotedAttributeValues: !isStrict } });
  const root = new Element('');
  const open = [root];
  const last = (): Element => open.at(-1) ?? root;
  parser.onopentag = ({ name, attributes }) => {
    if (!isStrict && last().text.trim() !== '') open.pop(); // a text has no elements in it: its end was left out
    const element = new Element(name.replace(/^.*:/, ''), attributes as Record<string, string>);
    last().children.push(element);
    open.push(element);
  };
  parser.ontext = parser.oncdata = (part) => void (last().text += part);
  parser.onclosetag = (name) => {
    const depth = open.findLastIndex((element) => element.name === name.replace(/^.*:/, ''));
    if (depth > 0) open.length = depth;
  };
  parser.onerror = (error) => {
    if (isStrict) throw new Refusal(`line ${parser.line + 1}: ${error.message.split('\n')[0] ?? ''}`);
    parser.resume();
  };
  parser.write(text).close();
  return root;
}
