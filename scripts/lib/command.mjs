// The options of the scripts: --help, and a refusal of others.
import './node-version.mjs';
import { parseArgs } from 'node:util';

/**
 * The options as they were given. Ends the process with 0 for --help, and with 2 when they cannot be understood, or
 * when `faultOf` has something to say about them. The help begins with the line that shows how the script is called.
 */
export function readOptions(help, options = {}, faultOf = () => undefined) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    const fault = faultOf(values);
    if (fault !== undefined) throw new Error(fault);
    return values;
  } catch (error) {
    process.stderr.write(`${error.message}\n${help.split('\n', 1)[0]}\n--help says more.\n`);
    process.exit(2);
  }
}

/** What is wrong with a --port, if it is given. */
export function portFault({ port }) {
  const isPort = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) < 65_536);
  return isPort ? undefined : '--port takes a number from 0 to 65535';
}
