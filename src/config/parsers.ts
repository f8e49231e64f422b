import { isPlaceholder } from './placeholders.js';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION =
  /^(0|\d{1,12}\s*(ms|s|m|h|d)|p(?=\d|t\d)(\d{1,6}d)?(t(?=\d)(\d{1,6}h)?(\d{1,6}m)?(\d{1,6}s)?)?)$/;

/** Milliseconds of `500ms`, `15s`, `30m`, `1h`, `7d`, or of an ISO 8601 duration such as `PT1H30M`. */
const durationUpTo =
  (most: string, least = 1) =>
  (text: string): number => {
    const ms = millisecondsOf(text.trim().toLowerCase());
    if (ms >= least && ms <= millisecondsOf(most)) return ms;
    throw new Error(`must be a duration such as 500ms, 30s, 15m, 1h, 7d or PT1H, of at most ${most}`);
  };

export const duration = durationUpTo('365d');
/** A duration that a timer of Node can wait for. */
export const timerDuration = durationUpTo('24d');
export const delay = durationUpTo('1h', 0);

function millisecondsOf(text: string): number {
  if (!DURATION.test(text)) return NaN;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)\s*(ms|[smhd])/g))
    sum += Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return sum;
}

const UNIT_BYTES = { '': 1, b: 1, kb: 1024, kib: 1024, mb: 1024 ** 2, mib: 1024 ** 2 } as const;

/** Bytes of `65536`, `512KiB` or `1MiB`; `most` is in MiB. */
export const size =
  (most = 64) =>
  (text: string): number => {
    const [, amount, unit] = /^(\d{1,9})\s*(b|kb|kib|mb|mib)?$/i.exec(text.trim()) ?? [];
    const bytes = Number(amount) * UNIT_BYTES[(unit ?? '').toLowerCase() as keyof typeof UNIT_BYTES];
    if (!(bytes >= 1024 && bytes <= most * 1024 ** 2))
      throw new Error(`must be a size from 1KiB to ${most}MiB, such as 1MiB`);
    return bytes;
  };

export const text = (given: string): string => given;

export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw new Error(`must be a whole number from ${least} to ${most}`);
  };

export const oneOf =
  <T extends string>(allowed: readonly T[]) =>
  (text: string): T => {
    const found = allowed.find((value) => value === text.toLowerCase());
    if (found !== undefined) return found;
    throw new Error(`must be one of ${allowed.join(', ')}`);
  };

export const flag = (text: string): boolean => oneOf(['true', 'false'])(text) === 'true';

/** Web origins as browsers send them (RFC 6454): scheme, host and, unless it is the default, port. */
export function origins(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').map(origin);
}

function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && !url.host.includes('*');
  if (isPlain && url.origin === text.toLowerCase()) return url.origin;
  throw new Error(
    'must list origins such as https://app.example.com, without patterns, paths or a slash at the end',
  );
}

const MINIMUM_SECRET_BYTES = 32;
export const MAKE_SECRET = 'make one with: openssl rand -base64 48';
/** The characters that a client can send after `Bearer` (RFC 6750, section 2.1). */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/;
const JSON_WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** A secret that signs tokens, of at least the bytes that HS256 needs (RFC 7518, section 3.2). */
export function secret(given: string): string {
  if (given.trim() === '') throw new Error(`is missing: ${MAKE_SECRET}`);
  if (isPlaceholder(given)) throw new Error(`is still a placeholder: ${MAKE_SECRET}`);
  if (Buffer.byteLength(given) < MINIMUM_SECRET_BYTES)
    throw new Error(`is shorter than ${MINIMUM_SECRET_BYTES} bytes: ${MAKE_SECRET}`);
  return given;
}

/** The token for the metrics, which can never equal an account's token. */
export function metricsToken(given: string): string {
  const token = secret(given);
  if (!BEARER_TOKEN.test(token)) throw new Error(`holds what a bearer token cannot: ${MAKE_SECRET}`);
  if (JSON_WEB_TOKEN.test(token)) throw new Error(`looks like an account's access token: ${MAKE_SECRET}`);
  return token;
}
