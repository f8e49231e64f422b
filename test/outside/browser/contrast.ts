/** What WCAG 2.2 asks for texts (success criterion 1.4.3, level AA); for large ones it is 3. */
const ENOUGH = 4.5;

/**
 * An expression of the page: the visible texts whose colour is too close to the colour behind them, each with its
 * contrast. What has no colour of its own shows what is behind it.
 */
export const CONTRAST_FAULTS = `(() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parse = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return { rgb: [r, g, b], alpha: a / 255 };
  };
  const over = (top, bottom) => top.rgb.map((value, i) => value * top.alpha + bottom[i] * (1 - top.alpha));
  const behind = (element) => {
    const layers = [];
    for (let at = element; at !== null; at = at.parentElement) {
      layers.push(parse(getComputedStyle(at).backgroundColor));
      if (layers.at(-1).alpha === 1) break;
    }
    return layers.reverse().reduce((color, layer) => over(layer, color), [255, 255, 255]);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const faults = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    const element = texts.currentNode.parentElement;
    if (text === '' || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const background = behind(element);
    const color = over(parse(getComputedStyle(element).color), background);
    const ratio = contrast(color, background);
    if (ratio < ${ENOUGH}) faults.add(text.slice(0, 30) + ' (' + element.className + ') ' + ratio.toFixed(2));
  }
  return [...faults];
})()`;
