import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notAcceptable } from '../problem/problem.js';

/** Parameter decorator: which of the media types the request wants most. Throws not-acceptable. */
export const Accepted = createParamDecorator(
  (offered: readonly string[], context: ExecutionContext): string => {
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    reply.header('vary', varyBy('Accept', reply));
    const wanted = mostWanted(offered, http.getRequest<FastifyRequest>().headers.accept);
    if (wanted === undefined) throw notAcceptable(offered);
    return wanted;
  },
);

/** Undefined when the header wants none of them; without one the first. (RFC 9110, section 12.5.1.) */
export function mostWanted(offered: readonly string[], accept = ''): string | undefined {
  if (accept.trim() === '') return offered[0];
  const ranges = accept.split(',').map(rangeOf);
  const weighed = offered.map((type) => ({ type, weight: weightOf(type, ranges) }));
  const most = Math.max(...weighed.map(({ weight }) => weight));
  return most > 0 ? weighed.find(({ weight }) => weight === most)?.type : undefined;
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

const WEIGHT = /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [, weight = '1'] =
    parameters.map((parameter) => WEIGHT.exec(parameter)).find((it) => it !== null) ?? [];
  return { type, weight: Number(weight) };
}

/** Of the range that names the type most precisely. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const names = [type, `${type.split('/')[0] ?? ''}/*`, '*/*'];
  for (const name of names) {
    const range = ranges.find((it) => it.type === name);
    if (range !== undefined) return range.weight;
  }
  return 0;
}

/** The header `Vary` with one more name, beside what the CORS plugin has put into it. */
export function varyBy(name: string, reply: FastifyReply): string {
  return [reply.getHeader('vary') ?? [], name].flat().join(', ');
}
