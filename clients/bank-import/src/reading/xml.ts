import sax from 'sax';
import { Refusal } from '../faults.js';

/** An element of XML, or of the SGML of OFX 1, where the end of an element with a text may be left out. */
export class Element {
  readonly children: Element[] = [];
  text = '';
  attributes: Readonly<Record<string, string>> = {};

  constructor(
    readonly name: string,
    readonly line: number,
  ) {}

  /** All elements at the path below this one. */
  all(path: string): Element[] {
    return path
      .split('/')
      .reduce<Element[]>(
        (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
        [this],
      );
  }

  /** The text of the first element of that name at any depth: in SGML an empty element has no end, and holds the next. */
  textWithin(name: string): string {
    for (const child of this.children) {
      const text = (child.name === name && child.text.trim()) || child.textWithin(name);
      if (text !== '') return text;
    }
    return '';
  }

  /** The text of the first element at one of the paths that has one. */
  textAt(...paths: readonly string[]): string {
    return (
      paths
        .flatMap((path) => this.all(path))
        .find(({ text }) => text.trim() !== '')
        ?.text.trim() ?? ''
    );
  }
}

/** Reads the elements, named without their namespace. `isStrict` is false for OFX. */
export function elementsIn(text: string, isStrict: boolean): Element {
  const parser = sax.parser(isStrict, {
    position: true,
    ...(isStrict ? {} : { unquotedAttributeValues: true }),
  });
  const root = new Element('', 0);
  const open = [root];
  parser.onopentag = ({ name, attributes }) => {
    const top = open.at(-1) ?? root;
    if (!isStrict && top.text.trim() !== '') open.pop(); // a text has no elements in it: its end was left out
    const element = new Element(name.replace(/^.*:/, ''), parser.line + 1);
    element.attributes = attributes as Record<string, string>;
    (open.at(-1) ?? root).children.push(element);
    open.push(element);
  };
  const add = (part: string): void => void ((open.at(-1) ?? root).text += part);
  Object.assign(parser, { ontext: add, oncdata: add });
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
