/** How specs find the run's PostgreSQL: its superuser's URL. Not named TIDINGS_*, which a started process would refuse. */
export declare const TEST_POSTGRES_URL = "TEST_POSTGRES_URL";
/** The one PostgreSQL of a jest run, in a temporary folder. */
export declare class PostgresOfRun {
    private readonly server;
    private readonly directory;
    private readonly guard;
    private constructor();
    static start(): Promise<PostgresOfRun>;
    stop(): Promise<void>;
}
