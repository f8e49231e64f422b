/** The same answer with another body. A response that is built anew would not know its URL. */
export function responseWith(body: string | ReadableStream<Uint8Array> | null, response: Response): Response {
  return Object.defineProperty(new Response(body, response), 'url', { value: response.url });
}
