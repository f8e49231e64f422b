import { element } from './dom.js';

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const INDENT = '  ';

/**
 * Indented JSON with each number digit for digit as it was received: JSON.parse would turn
 * 99999999999999999.99 into 100000000000000000. Throws SyntaxError unless the text is JSON.
 */
export function layOut(text) {
  JSON.parse(text);
  let depth = 0;
  let laidOut = '';
  let previous = '';
  const newLine = () => `\n${INDENT.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      depth--;
      if (previous !== '{' && previous !== '[') laidOut += newLine();
    } else if (previous === '{' || previous === '[' || previous === ',') {
      laidOut += newLine();
    }
    laidOut += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return laidOut;
}

/** The text of JSON, its names, texts and other values each in a colour. */
export function highlight(text) {
  const parts = [];
  let end = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if ('{}[],:'.includes(token)) continue;
    parts.push(text.slice(end, index));
    end = index + token.length;
    const kind = token[0] !== '"' ? 'value' : text[end] === ':' ? 'name' : 'text';
    parts.push(element(`span.${kind}`, token));
  }
  return [...parts, text.slice(end)];
}
