import { element } from './dom.js';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*/g;
const ITEM = /^(?:\d+\.|-) /;

/** The little of Markdown that the API document uses, as elements: paragraphs, lists, bold, code. */
export function markdown(text = '') {
  return text
    .split(/\n{2,}/)
    .filter((block) => block !== '')
    .map((block) => (ITEM.test(block) ? list(block) : element('p', inline(block))));
}

export function inline(text) {
  const parts = [];
  let end = 0;
  for (const { 0: all, 1: code, 2: bold, index } of text.matchAll(INLINE)) {
    parts.push(text.slice(end, index), code === undefined ? element('b', bold) : element('code', code));
    end = index + all.length;
  }
  return [...parts, text.slice(end)];
}

function list(block) {
  const items = block.split(/\n(?=\d+\. |- )/).map((item) => element('li', inline(item.replace(ITEM, ''))));
  return element(block.startsWith('- ') ? 'ul' : 'ol', items);
}
