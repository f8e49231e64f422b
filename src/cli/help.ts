export const CALL = 'npm run cli --';

/** Shown with the help of every command. */
export const NOTES = `
Settings come from the environment or the file .env, as for the service (see .env.example). Where no DB_
variable names a database, and a quickstart has left its data in .data/, the quickstart's is used.

Exit codes: 0 it worked, 1 it did not, 2 it was called wrongly, 130 it was interrupted.
"${CALL} <command> --help" says more about one of them.`;

export function example(call: string): string {
  return `\nExample: ${CALL} ${call}`;
}
