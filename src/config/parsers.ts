import { isPlaceholder } from './placeholders.js';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,12})\s*(ms|s|m|h|d)$/i;
const ISO_DURATION = /^P(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/i;
const LONGEST_MS = 365 * UNIT_MS.d;

/** Milliseconds of `500ms`, `15s`, `30m`, `1h`, `7d`, or of an ISO 8601 duration such as `PT1H30M`. */
export function parseDuration(text: string): number {
  const ms = simpleDuration(text.trim()) ?? isoDuration(text.trim());
  if (ms === undefined) throw new Error('must be a duration such as 500ms, 30s, 15m, 1h, 7d or PT1H');
  if (ms < 1 || ms > LONGEST_MS) throw new Error('must be longer than nothing and at most 365 days');
  return ms;
}

/** As a duration, but no longer than a timer of Node lasts. */
export function parseTimerDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms > 24 * UNIT_MS.d) throw new Error('must be at most 24 days');
  return ms;
}

/** As a duration, but it may be nothing, and is at most an hour. */
export function parseDelay(text: string): number {
  const ms = /^0(ms|s|m|h)?$/i.test(text.trim()) ? 0 : parseDuration(text);
  if (ms > UNIT_MS.h) throw new Error('must be at most an hour');
  return ms;
}

function simpleDuration(text: string): number | undefined {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Number(amount) * UNIT_MS[unit.toLowerCase() as keyof typeof UNIT_MS];
}

function isoDuration(text: string): number | undefined {
  const match = ISO_DURATION.exec(text);
  if (match === null || text.length < 3) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return (
    Number(days) * UNIT_MS.d +
    Number(hours) * UNIT_MS.h +
    Number(minutes) * UNIT_MS.m +
    Number(seconds) * UNIT_MS.s
  );
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

export const list =
  (parse: (text: string) => string) =>
  (text: string): string[] => {
    const items = text.split(',').map((item) => item.trim());
    return items.filter((item) => item !== '').map(parse);
  };

/** A web origin as browsers send it (RFC 6454): scheme, host and, unless it is the default, port. */
export function parseOrigin(text: string): string {
  const remedy =
    'must list origins such as https://app.example.com, without patterns, paths or a slash at the end';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && ['http:', 'https:'].includes(url.protocol) && !url.host.includes('*');
  if (!plain || url.origin !== text.toLowerCase()) throw new Error(remedy);
  return url.origin;
}

const MINIMUM_SECRET_BYTES = 32;
/** RFC 6750, section 2.1: what a client can send after `Bearer`. */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/;
/** As an account's access token looks. */
const JSON_WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** What is wrong with the signing secret, or undefined. The bound is the one of HS256 (RFC 7518, section 3.2). */
export function secretFault(secret: string): string | undefined {
  const remedy = 'make one with: openssl rand -base64 48';
  if (secret.trim() === '') return `is missing: ${remedy}`;
  if (isPlaceholder(secret)) return `is still a placeholder: ${remedy}`;
  if (Buffer.byteLength(secret) < MINIMUM_SECRET_BYTES)
    return `is shorter than ${MINIMUM_SECRET_BYTES} bytes: ${remedy}`;
  return undefined;
}

/** What is wrong with the token for the metrics, or undefined. It can never be equal to an account's token. */
export function metricsTokenFault(token: string): string | undefined {
  const remedy = 'make one with: openssl rand -base64 48';
  const fault = secretFault(token);
  if (fault !== undefined) return fault;
  if (!BEARER_TOKEN.test(token)) return `holds what a bearer token cannot: ${remedy}`;
  if (JSON_WEB_TOKEN.test(token)) return `looks like an account's access token: ${remedy}`;
  return undefined;
}
