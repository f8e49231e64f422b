// What the command lines of the scripts have in common: --help, and what is said to whoever calls one wrongly.
import './node-version.mjs';
import { parseArgs } from 'node:util';

const HELP_OPTION = { type: 'boolean', short: 'h' };

/**
 * The options as they were given. Ends the process with 0 for --help, and with 2 when they cannot be understood, or
 * when `faultOf` has something to say about them. The help begins with the line that shows how the script is called.
 */
export function readOptions(help, options = {}, faultOf = () => undefined) {
  try {
    const { values } = parseArgs({ options: { ...options, help: HELP_OPTION } });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    const fault = faultOf(values);
    if (fault !== undefined) throw new Error(fault);
    return values;
  } catch (error) {
    const [usage] = help.split('\n', 1);
    const message = error.message.replace(/\. To specify a positional .*/, '');
    process.stderr.write(`${message}\n${usage}\n"${callForHelp(usage)}" says more.\n`);
    process.exit(2);
  }
}

/** npm keeps for itself what stands before the two dashes. */
function callForHelp(usage) {
  const [call] = usage.replace('Usage: ', '').split(/ (?:--|\[)/, 1);
  return `${call}${call.startsWith('npm ') ? ' --' : ''} --help`;
}

/** What is wrong with a --port, if it is given. */
export function portFault({ port }) {
  const isPort = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) < 65_536);
  return isPort ? undefined : '--port takes a number from 0 to 65535';
}
