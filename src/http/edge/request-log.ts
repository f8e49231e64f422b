import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '../../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../../config/settings.js';
import { Requests } from './requests.js';

/** The access log: one line for a finished request, at `info`. No line holds a path, a query, a header or a body. */
@Injectable()
export class RequestLog {
  constructor(
    @Inject(LOGGER) logger: Logger,
    @Inject(SETTINGS) { logRequests }: Pick<Settings, 'logRequests'>,
    requests: Requests,
  ) {
    if (logRequests === 'off') return;
    requests.onFinished(({ id, method, route, status, slug, trace, seconds }) => {
      if (logRequests === 'errors' && (status ?? 0) < 400) return;
      const milliseconds = Math.round(seconds * 1000);
      logger.info({ requestId: id, ...trace, method, route, status, slug, milliseconds }, 'request');
    });
  }
}
