import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '../common/problems/problem.js';

/** Parameter decorator: the media type that the request wants most. Throws not-acceptable. */
export const Accepted = createParamDecorator(
  (offered: readonly string[], context: ExecutionContext): string => {
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    reply.header('vary', varyBy('Accept', reply));
    const wanted = mostWanted(offered, http.getRequest<FastifyRequest>().headers.accept);
    if (wanted !== undefined) return wanted;
    throw new ProblemError('not-acceptable', `This resource is available as ${offered.join(' or ')}.`);
  },
);

/** Ranges that are read of a header: 16 KiB can hold eight thousand. */
const MOST_RANGES = 100;

/** Undefined when the header wants none of them; without one the first. (RFC 9110, section 12.5.1.) */
function mostWanted(offered: readonly string[], accept = ''): string | undefined {
  if (accept.trim() === '') return offered[0];
  const weights = new Map(accept.split(',', MOST_RANGES).reverse().map(weightedRange)); // the first of two counts
  const weightOf = (type: string): number =>
    weights.get(type) ?? weights.get(type.replace(/\/.*/, '/*')) ?? weights.get('*/*') ?? 0;
  const most = Math.max(...offered.map(weightOf));
  return most > 0 ? offered.find((type) => weightOf(type) === most) : undefined;
}

const WEIGHT = /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

function weightedRange(text: string): [range: string, weight: number] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.map((parameter) => WEIGHT.exec(parameter)?.[1]).find((it) => it !== undefined);
  return [range, Number(weight ?? 1)];
}

/** The header `Vary` with one more name, beside the one of CORS. */
export function varyBy(name: string, reply: FastifyReply): string {
  return [reply.getHeader('vary') ?? [], name].flat().join(', ');
}
