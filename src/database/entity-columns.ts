import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage } from 'typeorm';

/** A column as the entity declares it. */
export type EntityColumn = ReturnType<typeof columnsOf>[number];

/** The table that an entity's decorators describe. Columns that are never selected are left out: the database writes them. */
export function tableOf(entity: Type): { readonly table: string; readonly columns: readonly EntityColumn[] } {
  const storage = getMetadataArgsStorage();
  const table = storage.tables.find(({ target }) => target === entity)?.name;
  if (table === undefined) throw new Error(`${entity.name} is not an entity with a table's name`);
  const embedded = storage
    .filterEmbeddeds(entity)
    .flatMap(({ propertyName, type }) => columnsOf(type() as Type, propertyName));
  return { table, columns: [...columnsOf(entity), ...embedded] };
}

/** `group` is the property of the entity that embeds the target: an object within the resource. */
function columnsOf(target: Type, group?: string) {
  return getMetadataArgsStorage()
    .filterColumns(target)
    .filter(({ options }) => options.select !== false)
    .map(({ propertyName, mode, options }) => ({
      property: propertyName,
      group,
      column: options.name ?? propertyName,
      /** The SQL type, to cast a parameter to; a version says none. */
      type: `${String(options.type)}${options.array === true ? '[]' : ''}`,
      isEnumerated: options.enum !== undefined,
      /** Written by the statements themselves: a part of the key, the version, the time of the last change. */
      isManaged: options.primary === true || mode === 'version' || mode === 'updateDate',
    }));
}
