import type { Environment } from '../config/environment-reader.js';
import { ConfigurationError, loadSettings } from '../config/env.js';
import { serversOf } from './address.js';

const REQUIRED = { JWT_SECRET: 'k3J9xQ2mV7bN4tR8yW1zL6cF0hD5sG-a', DB_PASSWORD: 'p@ss,w:rd' };
const WITH = 'postgres://property_finance:p%40ss%2Cw%3Ard@';

/** The faults of an environment, or the servers that it names and which of them is wanted. */
function serversIn(env: Environment): unknown {
  try {
    const { urls, wanted } = serversOf(loadSettings({ ...REQUIRED, ...env }).database.url);
    return [wanted, ...urls.map((url) => url.replace(/^postgresql:/, 'postgres:'))];
  } catch (error) {
    return error instanceof ConfigurationError ? error.faults : error;
  }
}

describe('a list of hosts', () => {
  it.each<[string, Environment, string[], string?]>([
    ['in the URL', { DB_URL: 'postgres://a:1,b:2/n' }, ['a:1/n', 'b:2/n']],
    ['where some have a port', { DB_URL: 'postgres://a,b:2,c:/n' }, ['a:5432/n', 'b:2/n', 'c:5432/n']],
    ['of addresses', { DB_URL: 'postgres://[::1]:1,10.0.0.1/n' }, ['[::1]:1/n', '10.0.0.1:5432/n']],
    [
      'with a folder of sockets',
      { DB_URL: 'postgres://%2Frun%2Fpg:1,b/n' },
      ['localhost/n?host=%2Frun%2Fpg&port=1', 'b:5432/n'],
    ],
    [
      'behind user and password',
      { DB_URL: 'postgres://u,v:w,x@a,b/n', DB_USERNAME: 'property_finance' },
      ['a:5432/n', 'b:5432/n'],
    ],
    ['as a parameter', { DB_URL: 'postgres://h:7/n?host=a,::1' }, ['a:7/n', '[::1]:7/n']],
    [
      'as a parameter, with ports',
      { DB_URL: 'postgres:///n?host=a,/run/pg&port=1,2' },
      ['a:1/n', 'localhost/n?host=%2Frun%2Fpg&port=2'],
    ],
    ['as a parameter that wins', { DB_URL: 'postgres://x,y/n?host=a,b&port=3' }, ['a:3/n', 'b:3/n']],
    [
      'with other parameters',
      { DB_URL: 'postgres://a,b/n?sslmode=verify-full' },
      ['a:5432/n?sslmode=verify-full', 'b:5432/n?sslmode=verify-full'],
    ],
    [
      'any of which will do',
      { DB_URL: 'postgres://a,b/n?target_session_attrs=any' },
      ['a:5432/n', 'b:5432/n'],
      'any',
    ],
    [
      'of JDBC, of which the primary is wanted',
      { DB_URL: 'jdbc:postgresql://a:1,b:2/n?targetServerType=primary' },
      ['a:1/n', 'b:2/n'],
      'primary',
    ],
    ['in DB_HOST', { DB_HOST: 'a, [::1],::2', DB_NAME: 'n' }, ['a:5432/n', '[::1]:5432/n', '[::2]:5432/n']],
    ['in DB_HOST with one port', { DB_HOST: 'a,b', DB_PORT: '7', DB_NAME: 'n' }, ['a:7/n', 'b:7/n']],
    [
      'in DB_HOST with ports',
      { DB_HOST: 'a,/run/pg', DB_PORT: '7, 8', DB_NAME: 'n' },
      ['a:7/n', 'localhost/n?host=%2Frun%2Fpg&port=8'],
    ],
    ['of one', { DB_URL: 'postgres://a/n' }, ['a:5432/n'], 'any'],
    [
      'of one that is to take writes',
      { DB_URL: 'postgres://a/n?target_session_attrs=read-write' },
      ['a:5432/n'],
    ],
  ])('is read %s', (_, env, urls, wanted = 'read-write') => {
    expect(serversIn(env)).toEqual([wanted, ...urls.map((url) => WITH + url)]);
  });

  it.each<[Environment, string]>([
    [{ DB_URL: 'postgres://a,,b/n' }, 'DB_URL has an empty place in its list of hosts'],
    [{ DB_URL: 'postgres:///n?host=a,' }, 'DB_URL has an empty place in its list of hosts'],
    [{ DB_HOST: 'a, ,b' }, 'DB_HOST has an empty place in its list of hosts'],
    [{ DB_HOST: 'a,b c' }, 'DB_HOST must be a list of host names or addresses'],
    [{ DB_HOST: 'a,b:1' }, 'DB_HOST must be a list of host names or addresses'],
    [
      { DB_URL: 'postgres://a,b%FF/n' },
      'DB_URL must hold no % but in escapes of UTF-8: write %25 for the sign itself',
    ],
    [{ DB_URL: 'postgres://a:0,b/n' }, 'DB_URL must hold ports from 1 to 65535'],
    [{ DB_URL: 'postgres://a:x,b/n' }, 'DB_URL must hold ports from 1 to 65535'],
    [
      { DB_URL: 'postgres:///n?host=a,b,c&port=1,2' },
      'DB_URL has a list of 2 ports beside 3 hosts: give one port, or one for each host',
    ],
    [
      { DB_HOST: 'a', DB_PORT: '1,2' },
      'DB_HOST has a list of 2 ports beside one host: give one port, or one for each host',
    ],
    [{ DB_HOST: 'a,b', DB_PORT: '1,x' }, 'DB_PORT must be a whole number from 1 to 65535 for each host'],
    [
      { DB_URL: 'jdbc:postgresql://a,b/n?targetServerType=secondary' },
      'DB_URL takes as target_session_attrs: read-write, primary, any',
    ],
  ])('is not to be read from %p', (env, fault) => {
    expect(serversIn(env)).toEqual([fault]);
  });
});
