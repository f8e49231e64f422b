import { isPlain } from './exact-json.js';

/** Language → how the request is written in it. The token is taken from the environment, and never shown. */
export const SAMPLES = { curl, TypeScript: typescript, Python: python };

const AUTHORIZATION = 'authorization';

function curl({ method, url, headers, body }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [method === 'GET' ? `curl ${quoted(url)}` : `curl -X ${method} ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    const isToken = name === AUTHORIZATION;
    lines.push(`-H ${isToken ? '"Authorization: Bearer $TOKEN"' : quoted(`${title(name)}: ${value}`)}`);
  }
  if (body !== undefined) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(' \\\n  ');
}

function typescript({ method, url, headers, body, answer }) {
  const quoted = (text) => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const value = objectOf(body, 2);
  const text = () => `\`${body.replace(/[`\\]|\$\{/g, '\\$&')}\``;
  const options = [
    method !== 'GET' && `method: '${method}'`,
    ...members('headers: ', headers, quoted, '`Bearer ${process.env.TOKEN}`', 2),
    body !== undefined && `body: ${value === undefined ? text() : `JSON.stringify(${indent(value, 2)})`}`,
  ].filter(Boolean);
  const second = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  return [
    `const response = await fetch(${quoted(url)}${second});`,
    'if (!response.ok) throw new Error((await response.json()).detail);',
    ...(answer === undefined ? [] : [`const answer = await response.${answer}();`]),
  ].join('\n');
}

function python({ method, url, headers, body, answer }) {
  const quoted = (text) => JSON.stringify(text);
  const value = objectOf(body, 4);
  const isSaid = (name) => name === 'content-type' && value !== undefined; // by json=
  const others = Object.fromEntries(Object.entries(headers).filter(([name]) => !isSaid(name)));
  const options = [
    quoted(url),
    ...members('headers=', others, quoted, `f"Bearer {os.environ['TOKEN']}"`, 4),
    body !== undefined &&
      (value === undefined ? `data=${quoted(body)}.encode()` : `json=${indent(inPython(value), 4)}`),
  ].filter(Boolean);
  return [
    ...(AUTHORIZATION in headers ? ['import os'] : []),
    'import requests\n',
    `response = requests.${method.toLowerCase()}(`,
    ...options.map((option) => `    ${option},`),
    ')',
    'response.raise_for_status()',
    ...(answer === undefined ? [] : [`answer = response.${answer === 'json' ? 'json()' : 'text'}`]),
  ].join('\n');
}

/** The headers as a value of the language, one on a line; nothing where there are none. */
function members(name, headers, quoted, token, depth) {
  const [outer, inner] = [' '.repeat(depth), ' '.repeat(2 * depth)];
  const lines = Object.entries(headers).map(
    ([header, value]) =>
      `${inner}${quoted(title(header))}: ${header === AUTHORIZATION ? token : quoted(value)},\n`,
  );
  return lines.length === 0 ? [] : [`${name}{\n${lines.join('')}${outer}}`];
}

/** A body that can stand in a program as an object: it is JSON, and no digit of it would be lost. */
function objectOf(body, depth) {
  try {
    return isPlain(body) ? JSON.stringify(JSON.parse(body), undefined, depth) : undefined;
  } catch {
    return undefined;
  }
}

/** JSON's three words as Python has them; texts and numbers are the same. */
function inPython(json) {
  const words = { true: 'True', false: 'False', null: 'None' };
  return json.replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, (token) => words[token] ?? token);
}

function indent(text, depth) {
  return text.replaceAll('\n', `\n${' '.repeat(depth)}`);
}

function title(name) {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
