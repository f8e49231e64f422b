import type { OpenAPIObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';

type Node = SchemaObject | ReferenceObject | undefined;

/** An example of a body, from those of its fields. A field without one is null or left out. */
export function exampleOf(node: Node, document: OpenAPIObject): unknown {
  const schema = resolve(node, document);
  if (schema === undefined) return undefined;
  const [given] = (schema.examples as unknown[] | undefined) ?? [];
  if (given !== undefined) return given;
  if (schema.type?.includes('null')) return null;
  if (schema.items !== undefined) return [exampleOf(schema.items, document)];
  if (schema.properties === undefined) return undefined;
  const members = Object.entries(schema.properties).map(([name, property]) => [
    name,
    exampleOf(property, document),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as unknown;
}

/** The schema behind references. A choice with null resolves to its other schema. */
function resolve(node: Node, document: OpenAPIObject): SchemaObject | undefined {
  if (node === undefined) return undefined;
  if ('$ref' in node)
    return resolve(document.components?.schemas?.[node.$ref.split('/').at(-1) ?? ''], document);
  if (node.examples !== undefined) return node;
  const other = node.allOf?.[0] ?? node.anyOf?.at(-1);
  return other === undefined ? node : resolve(other, document);
}
