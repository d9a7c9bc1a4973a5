import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The domains from which a workspace may send with the default e-mail provider, instead of those of the installation. */
@Entity('sender_domains')
export class SenderDomainsEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  /** In ASCII and lower case. */
  @Column('text', { array: true })
  domains!: string[];
}
