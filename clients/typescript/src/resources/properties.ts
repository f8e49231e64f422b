import type { Client } from 'openapi-fetch';
import { asFile, type ExportOptions, fileOf } from '../files.js';
import type { paths, PropertyChanges, PropertyRequest, PropertyResponse } from '../generated/schema.js';
import { type ChangesOptions, elementsOf, type ListOptions } from '../pages.js';
import { unwrap } from '../unwrap.js';
import { Resource } from './resource.js';

/** The properties of the caller. */
export class Properties extends Resource<PropertyResponse, PropertyRequest> {
  constructor(private readonly api: Client<paths>) {
    super({
      get: (path, signal) => api.GET('/api/properties/{id}', { params: { path }, signal }),
      post: (header, body, signal) => api.POST('/api/properties', { params: { header }, body, signal }),
      put: (path, header, body, signal) =>
        api.PUT('/api/properties/{id}', { params: { path, header }, body, signal }),
      delete: (path, header, signal) =>
        api.DELETE('/api/properties/{id}', { params: { path, header }, signal }),
    });
  }

  /** Every property, page by page. */
  all({ size = 100, sort = ['id'], signal }: ListOptions = {}): AsyncIterable<PropertyResponse> {
    return elementsOf((cursor) => {
      const query = { cursor, size, sort: [...sort] };
      return this.api.GET('/api/properties', { params: { query }, signal });
    });
  }

  /** Every property as a stream. Reading it rejects with a NoResponseError when it breaks off. */
  export({ sort = ['id'], ...options }: ExportOptions & Pick<ListOptions, 'sort'> = {}): Promise<
    ReadableStream<Uint8Array>
  > {
    const params = { query: { bom: options.bom, sort: [...sort] } };
    return fileOf(this.api.GET('/api/properties/export', { params, ...asFile(options) }));
  }

  /** What was written or deleted since the cursor, oldest first. Keep its `next`; an empty page is the last for now. */
  changes({ signal, ...query }: ChangesOptions = {}): Promise<PropertyChanges> {
    return unwrap(this.api.GET('/api/properties/changes', { params: { query }, signal }));
  }
}
