import { publicAddress } from '../../database/address.js';

/** Needs no quotes, in a shell nor in SQL. */
const PLAIN = /^[a-z_][a-z\d_]*$/;

/** The remedy as a command for this database, where it is one command; else in words. */
export function remedyAt(url: string, { reason, remedy }: { reason: string; remedy: string }): string {
  const { host, port, name } = publicAddress(url);
  const user = decodeURIComponent(new URL(url).username);
  if (!PLAIN.test(name) || !PLAIN.test(user)) return remedy;
  const psql = `psql -h ${host} -p ${port} -U postgres -c`;
  switch (reason) {
    case 'no-such-database':
      return `${psql} "CREATE DATABASE ${name} OWNER ${user} ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0"`;
    case 'access-refused':
      return `correct DB_USERNAME and DB_PASSWORD, or: ${psql} "ALTER ROLE ${user} LOGIN PASSWORD '…'"`;
    case 'connection-refused':
      return 'start PostgreSQL (sudo systemctl start postgresql), or correct DB_HOST and DB_PORT, or DB_URL';
    default:
      return remedy;
  }
}
