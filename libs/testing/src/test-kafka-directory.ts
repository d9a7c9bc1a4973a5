/** Variable with the folder of the run's shared Kafka. Not named TIDINGS_*, which a started process would refuse. */
export const TEST_KAFKA_DIRECTORY = 'TEST_KAFKA_DIRECTORY';
