// What generators of clients stumble over although OpenAPI allows it, as rules for Redocly: each of them once made
// code of openapi-python-client, openapi-generator or oapi-codegen that did not compile or left operations out.

/** `Category`, `category` and `CATEGORY` are one name to a generator that writes constants in its language's case. */
const folded = (name) =>
  String(name)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase();

/** A list or an object as a default is no literal that a generator knows how to write. */
function scalarDefault() {
  return {
    Schema({ default: value }, { report, location }) {
      if (typeof value !== 'object' || value === null) return;
      const message = 'A default is a single value; say what else is taken in the description.';
      report({ message, location: location.child('default') });
    },
  };
}

/** A format gives the field a type of the language (an instant, a UUID), to which no regular expression applies. */
function noPatternBesideFormat() {
  return {
    Schema({ format, pattern }, { report, location }) {
      if (format === undefined || pattern === undefined) return;
      const message = `A pattern cannot be applied to what is read as ${format}; leave one of the two out.`;
      report({ message, location: location.child('pattern') });
    },
  };
}

/** Go has the values of enumerations beside the types of the schemas, in one namespace. */
function schemaNamedUnlikeValues() {
  const values = new Set();
  const schemas = [];
  return {
    Root: {
      leave(_, { report }) {
        for (const { name, location } of schemas)
          if (values.has(folded(name)))
            report({
              message: `${name} is also a value of an enumeration; name the schema otherwise.`,
              location,
            });
      },
    },
    NamedSchemas: {
      enter(named, { location }) {
        for (const name of Object.keys(named)) schemas.push({ name, location: location.child(name).key() });
      },
    },
    Schema(schema) {
      for (const value of schema.enum ?? []) values.add(folded(value));
    },
  };
}

export const GENERATOR_RULES = {
  id: 'generators',
  rules: {
    oas3: {
      'scalar-default': scalarDefault,
      'no-pattern-beside-format': noPatternBesideFormat,
      'schema-named-unlike-values': schemaNamedUnlikeValues,
    },
  },
};
