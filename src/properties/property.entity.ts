import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

/** Keyed by owner first: the table can be spread by owner, and no statement for an owner can miss the key. */
@Entity('properties')
export class Property {
  @PrimaryColumn('bigint', { name: 'owner_id' }) ownerId!: string;
  @PrimaryColumn('bigint', { default: () => `nextval('properties_id_seq')` }) id!: string;
  @Column('text') name!: string;
  @Column('text') address!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('numeric', { name: 'base_price', precision: 19, scale: 2 }) basePrice!: string;
  @Column('integer', { name: 'max_guests' }) maxGuests!: number;
  @Column('integer') bedrooms!: number;
  @Column('integer') bathrooms!: number;
  @Column('boolean') active!: boolean;
  @Column('text', { name: 'str_permit_number', nullable: true }) strPermitNumber!: string | null;
  @Column('text', { name: 'house_rules', nullable: true }) houseRules!: string | null;
  @Column('text', { name: 'check_in_instructions', nullable: true }) checkInInstructions!: string | null;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3 }) updatedAt!: Date;
  @VersionColumn() version!: number;
}

/** Texts sort by code point, whatever the locale of the database. `date` and `amount` are aliases. */
export const PROPERTY_SORT_COLUMNS = {
  id: ['t.id'],
  name: ['t.name COLLATE "C"'],
  address: ['t.address COLLATE "C"'],
  basePrice: ['t.base_price'],
  maxGuests: ['t.max_guests'],
  bedrooms: ['t.bedrooms'],
  bathrooms: ['t.bathrooms'],
  active: ['t.active'],
  createdAt: ['t.created_at'],
  updatedAt: ['t.updated_at'],
  date: ['t.created_at'],
  amount: ['t.base_price'],
};

export type PropertySortField = keyof typeof PROPERTY_SORT_COLUMNS;
export const PROPERTY_SORT_FIELDS = Object.keys(PROPERTY_SORT_COLUMNS) as PropertySortField[];
