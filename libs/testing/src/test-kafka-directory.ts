/** Where the run's shared Kafka is, or will be when somebody asks for it. Not named TIDINGS_*, which a started process would refuse. */
export const TEST_KAFKA_DIRECTORY = 'TEST_KAFKA_DIRECTORY';
