import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage } from 'typeorm';

/** A column as the entity declares it. */
export interface EntityColumn {
  /** The property of the entity, or of the class that it embeds. */
  readonly property: string;
  /** The property of the entity that embeds that class: an object within the resource. */
  readonly group?: string;
  readonly column: string;
  /** The SQL type, to cast a parameter to; a version says none. */
  readonly type: string;
  /** Written by the statements themselves: a part of the key, the version, the time of the last change. */
  readonly isManaged: boolean;
}

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

function columnsOf(target: Type, group?: string): EntityColumn[] {
  return getMetadataArgsStorage()
    .filterColumns(target)
    .filter(({ options }) => options.select !== false)
    .map(({ propertyName, mode, options }) => ({
      property: propertyName,
      group,
      column: options.name ?? propertyName,
      type: `${String(options.type)}${options.array === true ? '[]' : ''}`,
      isManaged: options.primary === true || mode === 'version' || mode === 'updateDate',
    }));
}
