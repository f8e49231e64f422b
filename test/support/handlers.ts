import { type INestApplication, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { Access } from '../../src/access/access-rules.js';

/** A method of a controller that answers requests, and who may call it as it or its controller declares. */
export interface Handler {
  readonly method: string;
  readonly path: string;
  readonly access: Access | undefined;
}

export function controllersOf(app: INestApplication): Type[] {
  const wrappers = new DiscoveryService(app.get(ModulesContainer)).getControllers();
  return wrappers.map(({ metatype }) => metatype as Type);
}

export function handlersOf(controller: Type): Handler[] {
  const reflector = new Reflector();
  const prototype = controller.prototype as Record<string, () => unknown>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name]!;
    const method = reflector.get<RequestMethod | undefined>(METHOD_METADATA, handler);
    if (method === undefined) return [];
    const parts = [controller, handler].map((part) => reflector.get<string>(PATH_METADATA, part));
    const access = reflector.getAllAndOverride<Access | undefined>('access', [handler, controller]);
    const path = parts.filter((part) => part !== '/').join('/');
    return [{ method: RequestMethod[method], path: `/${path}`, access }];
  });
}
