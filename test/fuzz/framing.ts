/**
 * Requests whose end servers disagree about, so that one takes for the next request what another takes for a body.
 * Every one has to be refused once, and its connection to be closed.
 */

/** What such a request is made of. */
export interface Framing {
  /** The head of a creation with these fields, without the empty line. */
  readonly head: (...fields: readonly string[]) => string;
  /** A request of its own, which stands where a body does. Its answer would carry its id. */
  readonly hidden: string;
}

export type Broken = (framing: Framing) => string;

export const BROKEN_TARGET = '/api/properties';

/** `authorization` is the whole field. */
export function framingOf(authorization: string): Framing {
  const start = [
    `POST ${BROKEN_TARGET} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    authorization,
  ];
  return {
    head: (...fields) => [...start, ...fields].map((line) => `${line}\r\n`).join(''),
    hidden: `GET /api/users/me HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: hidden\r\n${authorization}\r\n\r\n`,
  };
}

/** In hexadecimal. */
const sizeOf = (text: string): string => text.length.toString(16);

/** Two ways to end the body, one of which would take what is hidden in it for a request. */
const FORMS: Readonly<Record<string, (framing: Framing) => { length: number; body: string }>> = {
  'a body whose chunks end before what its length says': ({ hidden }) => {
    const body = `0\r\n\r\n${hidden}`;
    return { length: body.length, body };
  },
  'a body whose length ends before its chunks do': ({ hidden }) => {
    const line = `${sizeOf(hidden)}\r\n`;
    return { length: line.length, body: `${line}${hidden}\r\n0\r\n\r\n` };
  },
};

/** Ways to say `Transfer-Encoding: chunked` that one server understands and another does not. */
const TRANSFER_ENCODINGS: Readonly<Record<string, string>> = {
  'as it should be': 'Transfer-Encoding: chunked',
  'in capitals': 'TRANSFER-ENCODING: CHUNKED',
  'without a blank': 'Transfer-Encoding:chunked',
  'behind a tab': 'Transfer-Encoding:\tchunked',
  'before a blank': 'Transfer-Encoding: chunked ',
  'with a blank before the colon': 'Transfer-Encoding : chunked',
  'with a tab before the colon': 'Transfer-Encoding\t: chunked',
  'behind a vertical tab': 'Transfer-Encoding: \u000bchunked',
  'before a vertical tab': 'Transfer-Encoding: chunked\u000b',
  'before a NUL': 'Transfer-Encoding: chunked\u0000',
  'behind a no-break space': 'Transfer-Encoding: \u00a0chunked',
  'in quotes': 'Transfer-Encoding: "chunked"',
  misspelt: 'Transfer-Encoding: xchunked',
  'cut short': 'Transfer-Encoding: chunk',
  'with a parameter': 'Transfer-Encoding: chunked;q=1',
  'behind another': 'Transfer-Encoding: identity, chunked',
  'behind a compression': 'Transfer-Encoding: gzip, chunked',
  'before another': 'Transfer-Encoding: chunked, identity',
  'before nothing': 'Transfer-Encoding: chunked,',
  'twice in a field': 'Transfer-Encoding: chunked, chunked',
  'twice in two fields': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'and then not': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'after it was not': 'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'in a folded field': 'Transfer-Encoding:\r\n chunked',
  'in the fold of another field': 'X-Field: a\r\n Transfer-Encoding: chunked',
  'behind a bare line feed': 'X-Field: a\nTransfer-Encoding: chunked',
  'behind a bare carriage return': 'X-Field: a\rTransfer-Encoding: chunked',
  'before a bare carriage return': 'Transfer-Encoding: chunked\rX: b',
  'behind a blank at the start of the line': ' Transfer-Encoding: chunked',
  'with nothing': 'Transfer-Encoding: ',
};

/** Ways to give a length that one server reads and another does not; `N` is the length. */
const LENGTHS: Readonly<Record<string, string>> = {
  'twice, differently': 'Content-Length: N\r\nContent-Length: 0',
  'twice, the same': 'Content-Length: N\r\nContent-Length: N',
  'twice in a field': 'Content-Length: N, N',
  'with a sign': 'Content-Length: +N',
  'with a blank in it': 'Content-Length: 0 N',
  'in base 16': 'Content-Length: 0xN',
  'with a fraction': 'Content-Length: N.0',
  'with an exponent': 'Content-Length: 0e0N',
  'before letters': 'Content-Length: Nx',
  'of nothing': 'Content-Length: ',
  'past 64 bits': 'Content-Length: 18446744073709551617',
  'in other digits': 'Content-Length: \u00b2',
  'behind a vertical tab': 'Content-Length: \u000bN',
  'with a blank before the colon': 'Content-Length : N',
  'in a folded field': 'Content-Length:\r\n N',
  'behind a bare line feed': 'X-Field: a\nContent-Length: N',
  'behind a bare carriage return': 'X-Field: a\rContent-Length: N',
};

/** Chunks that are none. */
const CHUNKS: Readonly<Record<string, Broken>> = {
  'a size in base 16 with its prefix': ({ hidden }) => `0x${sizeOf(hidden)}\r\n${hidden}\r\n0\r\n\r\n`,
  'a size with a sign': ({ hidden }) => `+${sizeOf(hidden)}\r\n${hidden}\r\n0\r\n\r\n`,
  'a size before a blank': ({ hidden }) => `${sizeOf(hidden)} \r\n${hidden}\r\n0\r\n\r\n`,
  'a size behind a blank': ({ hidden }) => ` ${sizeOf(hidden)}\r\n${hidden}\r\n0\r\n\r\n`,
  'a size with a bare line feed': ({ hidden }) => `${sizeOf(hidden)}\n${hidden}\r\n0\r\n\r\n`,
  'a size with a bare carriage return': ({ hidden }) => `${sizeOf(hidden)}\r${hidden}\r\n0\r\n\r\n`,
  'no size at all': ({ hidden }) => `\r\n${hidden}\r\n0\r\n\r\n`,
  'a size past 64 bits': ({ hidden }) => `1000000000000000${sizeOf(hidden)}\r\n${hidden}\r\n0\r\n\r\n`,
  'a line feed in an extension': ({ hidden }) => `2;a=\n{}\r\n0\r\n\r\n${hidden}`,
  'a carriage return in an extension': ({ hidden }) => `2;a=\rb\r\n{}\r\n0\r\n\r\n${hidden}`,
  'a bare line feed behind a chunk': ({ hidden }) => `2\r\n{}\n0\r\n\r\n${hidden}`,
  'nothing behind a chunk': ({ hidden }) => `2\r\n{}0\r\n\r\n${hidden}`,
  'more than it says': ({ hidden }) => `2\r\n{}${hidden}\r\n0\r\n\r\n`,
  'a bare line feed at its end': ({ hidden }) => `2\r\n{}\r\n0\n\n${hidden}`,
  'a length in a trailer': ({ hidden }) =>
    `2\r\n{}\r\n0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'a trailer without a colon': ({ hidden }) => `2\r\n{}\r\n0\r\n${hidden}`,
};

/** Heads that are none, each before a good request. */
const HEADS: Readonly<Record<string, Broken>> = {
  'lines that end in a bare line feed': ({ hidden }) => hidden.replaceAll('\r\n', '\n'),
  'one line that ends in a bare line feed': ({ hidden }) => hidden.replace('localhost\r\n', 'localhost\n'),
  'one line that ends in a bare carriage return': ({ hidden }) =>
    hidden.replace('localhost\r\n', 'localhost\r'),
  'an end of bare line feeds': ({ hidden }) => hidden.replace(/\r\n\r\n$/, '\n\n'),
  'a tab in the first line': ({ hidden }) => hidden.replace('GET ', 'GET\t'),
  'a blank at the end of the first line': ({ hidden }) => hidden.replace('HTTP/1.1\r', 'HTTP/1.1 \r'),
  'a blank before the method': ({ hidden }) => ` ${hidden}`,
  'a field without a name': ({ hidden }) => hidden.replace('Host:', ': x\r\nHost:'),
  'a blank line of blanks': ({ hidden }) => hidden.replace('Host:', ' \r\nHost:'),
  'a carriage return in a field': ({ hidden }) => hidden.replace('hidden', 'a\rb'),
  'a control character in a field': ({ hidden }) => hidden.replace('hidden', 'a\u0007b'),
  'a control character in the target': ({ hidden }) => hidden.replace('/me', '/me\u0001'),
};

function everyBroken(): Record<string, Broken> {
  const all: Record<string, Broken> = {};
  for (const [form, ended] of Object.entries(FORMS))
    for (const [name, field] of Object.entries(TRANSFER_ENCODINGS)) {
      const sent = (framing: Framing, order: (first: string, second: string) => string[]): string => {
        const { length, body } = ended(framing);
        return `${framing.head(...order(`Content-Length: ${length}`, field))}\r\n${body}`;
      };
      all[`${form}, its length before "chunked" ${name},`] = (it) =>
        sent(it, (length, other) => [length, other]);
      all[`${form}, its length behind "chunked" ${name},`] = (it) =>
        sent(it, (length, other) => [other, length]);
    }
  for (const [name, field] of Object.entries(LENGTHS))
    all[`a length given ${name}`] = ({ head, hidden }) =>
      `${head(field.replaceAll('N', String(hidden.length)))}\r\n${hidden}`;
  for (const [name, chunks] of Object.entries(CHUNKS))
    all[`a chunked body with ${name}`] = (framing) =>
      `${framing.head('Transfer-Encoding: chunked')}\r\n${chunks(framing)}`;
  for (const [name, head] of Object.entries(HEADS))
    all[`a head with ${name}`] = (framing) => head(framing) + framing.hidden;
  return all;
}

/** By what is wrong. The bytes are those of Latin-1. */
export const BROKEN_FRAMING: Readonly<Record<string, Broken>> = everyBroken();
