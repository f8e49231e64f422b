import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';
import type { Role } from '../common/access/caller.js';

@Entity('users')
export class User {
  @PrimaryColumn('bigint', { default: () => `nextval('users_id_seq')` }) id!: string;

  /** Unique without regard to case, as is the username. */
  @Column('text') email!: string;
  @Column('text') username!: string;
  @Column('text', { name: 'password_hash' }) passwordHash!: string;
  @Column('text', { name: 'first_name', nullable: true }) firstName!: string | null;
  @Column('text', { name: 'last_name', nullable: true }) lastName!: string | null;
  @Column('text', { default: 'USER' }) role!: Role;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3 }) updatedAt!: Date;
  @VersionColumn() version!: number;
}
