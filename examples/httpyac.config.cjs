// httpyac reads a value of an earlier answer as {{signIn.accessToken}}. With this file beside it, it understands the
// notation of REST Client and Visual Studio too: {{signIn.response.body.$.accessToken}}, {{….response.headers.etag}}.
module.exports = {
  configureHooks({ hooks }) {
    hooks.onResponse.addHook('restClientNotation', ({ parsedBody, headers }) => {
      if (parsedBody)
        Object.defineProperty(parsedBody, 'response', { value: { body: { $: parsedBody }, headers } });
    });
  },
};
