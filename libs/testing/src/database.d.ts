import { type ProvisionedRole } from '@tidings/persistence/provision';
export interface Migration {
    /** The same key means the same result: databases of one run and one key are copies of the first. */
    key: string;
    /** Brings the provisioned database to where the specs begin. Must leave no connection open. */
    run(database: TestDatabase): Promise<void>;
}
export interface TestDatabaseOptions {
    migrate?: Migration;
}
export interface TestDatabase {
    /** Connects to this database as superuser. */
    readonly adminUrl: string;
    /** Connects to this database with what the role may do, and no more; roles are named as services are. */
    urlOf(role: ProvisionedRole): string;
    /** Removes the database, whoever is still connected. */
    drop(): Promise<void>;
}
/**
 * A fresh database on the PostgreSQL of this jest run, with schemas and roles. Every call makes another one, so spec files
 * and stories never meet.
 */
export declare function createTestDatabase({ migrate }?: TestDatabaseOptions): Promise<TestDatabase>;
