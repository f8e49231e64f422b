import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage } from 'typeorm';

/** A column as the entity declares it. */
export interface EntityColumn {
  /** The property of the entity, or of the class that it embeds. */
  readonly property: string;
  readonly column: string;
  /** The SQL type, to cast a parameter to. */
  readonly type: string;
  /** What the table itself keeps: a part of the key, the version, the time of the last change. */
  readonly isManaged: boolean;
}

/** The columns of a class that an entity embeds: an object of its own within the resource. */
export interface EntityGroup {
  readonly property: string;
  readonly columns: readonly EntityColumn[];
}

/** What an entity's decorators say of its table: the one description that statements and views are made from. */
export interface EntityTable {
  readonly table: string;
  readonly columns: readonly EntityColumn[];
  readonly groups: readonly EntityGroup[];
}

const VERSION_TYPE = 'integer';

/** Reads the decorators of an entity class. Columns that are never selected are left out: the database keeps them. */
export function tableOf(entity: Type): EntityTable {
  const storage = getMetadataArgsStorage();
  const table = storage.tables.find(({ target }) => target === entity)?.name;
  if (table === undefined) throw new Error(`${entity.name} is not an entity with a table's name`);
  const groups = storage.filterEmbeddeds(entity).map(({ propertyName, type }) => ({
    property: propertyName,
    columns: columnsOf(type() as Type),
  }));
  return { table, columns: columnsOf(entity), groups };
}

function columnsOf(target: Type): EntityColumn[] {
  return getMetadataArgsStorage()
    .filterColumns(target)
    .filter(({ options }) => options.select !== false)
    .map(({ propertyName, mode, options }) => ({
      property: propertyName,
      column: options.name ?? propertyName,
      type: `${String(options.type ?? VERSION_TYPE)}${options.array === true ? '[]' : ''}`,
      isManaged: options.primary === true || mode === 'version' || mode === 'updateDate',
    }));
}
