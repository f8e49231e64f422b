/** The path of a request's target, without scheme and host (absolute form, RFC 9112, section 3.2.2) and query. */
export function pathOf(target: string): string {
  const [path = ''] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return path === '' ? '/' : path;
}
