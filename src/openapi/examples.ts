import type { OpenAPIObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';

/** An example of a body, made of the examples of its fields. A field without one is null or undefined. */
export function exampleOf(
  node: SchemaObject | ReferenceObject | undefined,
  document: OpenAPIObject,
): unknown {
  if (node === undefined) return undefined;
  if ('$ref' in node)
    return exampleOf(document.components?.schemas?.[node.$ref.split('/').at(-1) ?? ''], document);
  if (Array.isArray(node.examples)) return node.examples[0];
  const other = node.allOf?.[0] ?? node.anyOf?.at(-1); // of a choice with null, the other schema
  if (other !== undefined) return exampleOf(other, document);
  if (node.type?.includes('null')) return null;
  if (node.items !== undefined) return [exampleOf(node.items, document)];
  const members = Object.entries(node.properties ?? {});
  if (members.length === 0) return undefined;
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, document)]));
}
