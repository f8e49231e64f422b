// httpyac reads a value of an earlier response as {{signIn.accessToken}}. With this file beside it, it understands the
// notation of REST Client and Visual Studio too: {{signIn.response.body.$.accessToken}}, {{….response.headers.etag}}.
// And it fails a request whose response has none of the statuses that its line `# @expects` names.
module.exports = {
  configureHooks({ hooks }) {
    hooks.onResponse.addHook('restClientNotation', ({ parsedBody, headers }) => {
      if (parsedBody)
        Object.defineProperty(parsedBody, 'response', { value: { body: { $: parsedBody }, headers } });
    });
    hooks.onResponse.addHook('expects', ({ statusCode }, { httpRegion }) => {
      const expected = String(httpRegion.metaData.expects).match(/\d{3}/g) ?? [];
      const status = expected.includes(String(statusCode)) ? 'SUCCESS' : 'FAILED';
      const message = `status ${statusCode}, expected ${expected.join(' or ')}`;
      httpRegion.testResults = [...(httpRegion.testResults ?? []), { message, status }];
    });
  },
};
