import { isPlain } from './exact-json.js';

/** Language → how the request is written in it. The token is taken from the environment, and never shown. */
export const SAMPLES = { curl, TypeScript: typescript, Python: python };

const AUTHORIZATION = 'authorization';

function curl({ method, url, headers, body }) {
  const lines = [method === 'GET' ? `curl '${url}'` : `curl -X ${method} '${url}'`];
  for (const [name, value] of Object.entries(headers)) {
    const isToken = name === AUTHORIZATION;
    lines.push(isToken ? '-H "Authorization: Bearer $TOKEN"' : `-H '${title(name)}: ${value}'`);
  }
  if (body !== undefined) lines.push(`-d '${body.replaceAll("'", "'\\''")}'`);
  return lines.join(' \\\n  ');
}

function typescript({ method, url, headers, body }) {
  const options = [
    method !== 'GET' && `method: '${method}'`,
    Object.keys(headers).length > 0 && `headers: ${object(headers, '`Bearer ${process.env.TOKEN}`')}`,
    body !== undefined && `body: ${isLiteral(body) ? `JSON.stringify(${indent(body)})` : template(body)}`,
  ].filter(Boolean);
  const second = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  return [
    `const response = await fetch('${url}'${second});`,
    'if (!response.ok) throw new Error((await response.json()).detail);',
    method === 'DELETE'
      ? ''
      : `const answer = await response.${url.endsWith('prometheus') ? 'text' : 'json'}();`,
  ]
    .join('\n')
    .trimEnd();
}

function python({ method, url, headers, body }) {
  const isPlainBody = body !== undefined && isLiteral(body);
  const sent = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !(isPlainBody && name === 'content-type')),
  );
  const options = [
    Object.keys(sent).length > 0 && `headers=${object(sent, `f"Bearer {os.environ['TOKEN']}"`, '"')}`,
    body !== undefined && (isPlainBody ? `json=${indent(literal(body))}` : `data=${JSON.stringify(body)}`),
  ].filter(Boolean);
  return [
    AUTHORIZATION in headers ? 'import os\nimport requests\n' : 'import requests\n',
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...options.map((option) => `    ${option.replaceAll('\n', '\n  ')},`),
    ')',
    'response.raise_for_status()',
  ].join('\n');
}

function object(headers, token, quote = "'") {
  const members = Object.entries(headers).map(([name, value]) => {
    const text = name === AUTHORIZATION ? token : `${quote}${value.replaceAll(quote, `\\${quote}`)}${quote}`;
    return `    ${quote}${title(name)}${quote}: ${text},\n`;
  });
  return `{\n${members.join('')}  }`;
}

/** Whether the body can stand in a program as it is: it is JSON, and no digit of it would be lost. */
function isLiteral(body) {
  try {
    return isPlain(body);
  } catch {
    return false;
  }
}

/** JSON's three words as Python has them; texts and numbers are the same. */
function literal(json) {
  const words = { true: 'True', false: 'False', null: 'None' };
  return json.replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, (token) => words[token] ?? token);
}

function template(text) {
  return `\`${text.replace(/[`\\]|\$\{/g, '\\$&')}\``;
}

function indent(text) {
  return text.replaceAll('\n', '\n  ');
}

function title(name) {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
