import Module from 'node:module';

/**
 * Sources import each other as `./x.js`; the file is `x.ts`. Jest maps the names for tests, but not for a global
 * setup, whose modules Node's own `require` loads.
 */
const loader = Module as unknown as { _resolveFilename: (name: string, ...rest: unknown[]) => string };
const resolve = loader._resolveFilename;

loader._resolveFilename = (name, ...rest) => {
  try {
    return resolve(name, ...rest);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(name)) throw error;
    return resolve(name.replace(/js$/, 'ts'), ...rest);
  }
};
