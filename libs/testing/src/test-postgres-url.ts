/** How specs find the run's PostgreSQL: its superuser's URL. Not named TIDINGS_*, which a started process would refuse. */
export const TEST_POSTGRES_URL = 'TEST_POSTGRES_URL';
