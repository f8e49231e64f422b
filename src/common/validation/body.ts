import { StringDecoder } from 'node:string_decoder';
import { nextTurn, Turn } from '../concurrency/turns.js';
import { isObject, type JsonObject, parseInTurns, type Shape } from '../json/json-parser.js';
import { malformedRequest, ProblemError } from '../problems/problem.js';

/**
 * Reads the JSON object of a request's body, and pauses after each {@link Turn}. Members that are not wanted only have to be
 * well-formed. The bytes are UTF-8. Throws malformed-request.
 */
export async function parseFields(bytes: Buffer, shape: Shape, pause = nextTurn): Promise<JsonObject> {
  const text = (await decoded(bytes, pause)).replace(/^\ufeff/, ''); // without a byte order mark
  if (text === '') throw new ProblemError('malformed-request');
  try {
    const value = await parseInTurns(text, new Turn(), shape, pause);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw malformedRequest(`The body is not valid JSON: ${error.message}.`);
  }
  throw new ProblemError('malformed-request');
}

async function decoded(bytes: Buffer, pause: typeof nextTurn): Promise<string> {
  if (bytes.length <= Turn.CHARACTERS) return bytes.toString();
  const decoder = new StringDecoder();
  let text = '';
  for (let at = 0; at < bytes.length; at += Turn.CHARACTERS) {
    await pause();
    text += decoder.write(bytes.subarray(at, at + Turn.CHARACTERS));
  }
  return text;
}
