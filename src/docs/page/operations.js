const METHODS = ['get', 'post', 'put', 'delete'];

/** The operations of an API document by tag, with references resolved. */
export function readOperations(openapi) {
  const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => read(openapi, path, method, item[method])),
  );
  return openapi.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags }) => tags.includes(tag.name)),
  }));
}

/** The target of a reference, or the node itself. */
export function resolve(openapi, node) {
  if (node?.$ref === undefined) return node;
  const steps = node.$ref.slice(2).split('/');
  return resolve(
    openapi,
    steps.reduce((at, step) => at[step], openapi),
  );
}

function read(openapi, path, method, operation) {
  const { requestBody, parameters = [], responses, security = [] } = operation;
  const [[bodyType, body] = []] = Object.entries(requestBody?.content ?? {});
  return {
    ...operation,
    id: operation.operationId,
    path,
    method: method.toUpperCase(),
    needsToken: security.length > 0,
    parameters: parameters.map((parameter) => resolve(openapi, parameter)),
    body: body && { ...body, type: bodyType },
    responses: Object.entries(responses).map(([status, node]) => {
      const { headers = {}, content = {}, ...response } = resolve(openapi, node);
      return {
        ...response,
        ...Object.values(content)[0],
        type: Object.keys(content)[0],
        status,
        headers: Object.entries(headers).map(([name, header]) => ({ name, ...resolve(openapi, header) })),
      };
    }),
  };
}
