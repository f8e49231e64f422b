/** The request as a command of curl. The token comes from the environment, and is never shown. */
export function curl({ method, url, headers, body }) {
  const lines = [method === 'GET' ? `curl ${quoted(url)}` : `curl -X ${method} ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    const isToken = name === 'authorization';
    lines.push(`-H ${isToken ? '"Authorization: Bearer $TOKEN"' : quoted(`${title(name)}: ${value}`)}`);
  }
  if (body !== undefined) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(' \\\n  ');
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function title(name) {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
