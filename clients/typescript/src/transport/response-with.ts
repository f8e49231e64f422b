/** The same response with another body. A new Response would not have the URL. */
export function responseWith(body: string | ReadableStream<Uint8Array> | null, response: Response): Response {
  return Object.defineProperty(new Response(body, response), 'url', { value: response.url });
}
