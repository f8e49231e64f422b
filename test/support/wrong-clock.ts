/** Arguments of Node that run this code before the program. */
export function importing(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
