/** How to mend a database that cannot serve, by the reason of `unavailability`. */
const REMEDIES: Readonly<Record<string, string>> = {
  'no-such-database': 'create it: CREATE DATABASE … OWNER …',
  'connection-refused':
    'start PostgreSQL, or correct where it is looked for (DB_HOST and DB_PORT, or DB_URL)',
  'host-not-found': 'correct the name of its host (DB_HOST, or DB_URL)',
  'access-refused': 'correct the name and the password (DB_USERNAME and DB_PASSWORD)',
  'pool-timeout': 'nothing answers in time: look at the network, or correct the address (DB_HOST, or DB_URL)',
  timeout: 'nothing answers in time: look at the network, or correct the address (DB_HOST, or DB_URL)',
  'startup-parameters': 'behind a pooler set DB_POOLER=session or DB_POOLER=transaction, as its pool_mode is',
  'prepared-statements': 'behind a pooler in transaction mode set DB_POOLER=transaction',
  'tls-required':
    'the server wants TLS: set DB_SSLMODE=verify-full and DB_SSL_CA, or DB_URL=…?sslmode=verify-full&sslrootcert=…; ' +
    'if it does not, pg_hba.conf there has no line that admits this host',
  'tls-not-offered':
    'switch TLS on at the server (ssl = on in postgresql.conf), or on a trusted network set DB_SSLMODE=disable',
  'client-certificate-required': 'name one: DB_URL=…?sslmode=verify-full&sslrootcert=…&sslcert=…&sslkey=…',
  'certificate-for-other-host':
    'call the server by a name that its certificate holds (DB_HOST, or DB_URL), or set DB_SSLMODE=verify-ca',
  'certificate-not-trusted':
    "let DB_SSL_CA name the certificate of the authority that signed the server's, or that certificate if it signed itself",
  'tls-failed':
    'look into the log of PostgreSQL: it refused the TLS handshake, often because of the client certificate',
  'node-unavailable': 'look into the log of PostgreSQL: one of its nodes is away',
  'connection-lost': 'look into the log of PostgreSQL',
  'read-only': 'let DB_HOST (or DB_URL) name the primary, or promote the standby: SELECT pg_promote()',
  'starting-or-stopping': 'try again in a moment',
  'out-of-resources': 'raise its max_connections, or lower DB_POOL_SIZE',
};

export function remedyFor(reason: string): string {
  return REMEDIES[reason] ?? 'look into the log of PostgreSQL';
}
