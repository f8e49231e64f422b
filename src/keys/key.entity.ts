import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { KEY_ACCESS, type KeyAccess } from '../common/access/caller.js';

/** A key of a program. Its text is known to nobody but its holder. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('bigint', { default: () => `nextval('api_keys_id_seq')` }) id!: string;
  @Column('bigint', { name: 'user_id' }) userId!: string;
  /** From 1 to 20. */
  @Column('integer') slot!: number;
  @Column('text') name!: string;
  @Column({ type: 'text', enum: [...KEY_ACCESS] }) access!: KeyAccess;
  /** SHA-256 of the text. */
  @Column({ type: 'bytea' }) digest!: Buffer;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 }) createdAt!: Date;
  /** The day in UTC. */
  @Column({ type: 'date', name: 'last_used', nullable: true }) lastUsed!: string | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true }) expiresAt!: Date | null;
}
