/** The path of a request's target, without scheme and host (absolute form, RFC 9112, section 3.2.2) and query. */
export function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
}
