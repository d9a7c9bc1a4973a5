import { topicSettings } from '@tidings/kafka/topic-settings';
import { ConfigurationError, loadConfiguration, type ProcessName } from './configuration';

const SERVICE = { DATABASE_URL: 'postgresql://identity:pw@db/tidings', KAFKA_BROKERS: 'kafka:9092', TIDINGS_RPC_SECRET: 'a'.repeat(32) };

function topicsOf(environment: NodeJS.ProcessEnv, processName: ProcessName = 'identity') {
  return loadConfiguration(processName, { ...SERVICE, ...environment }).kafka!.topics;
}

function problemsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfiguration('identity', { ...SERVICE, ...environment });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('topics in the configuration', () => {
  it('have three replicas and two in sync, however few brokers are named', () => {
    expect(topicsOf({})).toEqual(topicSettings());
    expect(topicsOf({})).toMatchObject({ replication: 3, minInsyncReplicas: 2, check: 'refuse', leftToBrokers: [] });
  });

  it('have as many replicas as the launcher has names of brokers, at most three', () => {
    expect(topicsOf({}, 'standalone')).toMatchObject({ replication: 1, minInsyncReplicas: 1 });
    expect(topicsOf({ KAFKA_BROKERS: 'a:1,b:1' }, 'standalone')).toMatchObject({ replication: 2, minInsyncReplicas: 1 });
    expect(topicsOf({ KAFKA_BROKERS: 'a:1,b:1,c:1,d:1' }, 'standalone')).toMatchObject({ replication: 3, minInsyncReplicas: 2 });
    expect(topicsOf({ TIDINGS_KAFKA_REPLICATION: '3' }, 'standalone')).toMatchObject({ replication: 3, minInsyncReplicas: 2 });
  });

  it('have the numbers of the environment', () => {
    expect(topicsOf({ TIDINGS_KAFKA_REPLICATION: '1' })).toMatchObject({ replication: 1, minInsyncReplicas: 1 });
    expect(topicsOf({ TIDINGS_KAFKA_REPLICATION: '5' })).toMatchObject({ replication: 5, minInsyncReplicas: 4 });
    expect(topicsOf({ TIDINGS_KAFKA_MIN_ISR: '1' })).toMatchObject({ replication: 3, minInsyncReplicas: 1 });
    const broker = { TIDINGS_KAFKA_REPLICATION: 'broker' };
    expect(topicsOf(broker)).toMatchObject({ replication: undefined, minInsyncReplicas: undefined });
    expect(topicsOf({ ...broker, TIDINGS_KAFKA_MIN_ISR: '2' })).toMatchObject({ replication: undefined, minInsyncReplicas: 2 });
  });

  it('respect what a managed Kafka permits', () => {
    expect(
      topicsOf({
        TIDINGS_KAFKA_MAX_MESSAGE_BYTES: '1048588',
        TIDINGS_KAFKA_TOPIC_CHECK: 'warn',
        TIDINGS_KAFKA_TOPIC_DEFAULTS: 'segment.ms, unclean.leader.election.enable',
      }),
    ).toMatchObject({ recordBytesMax: 1_048_588, check: 'warn', leftToBrokers: ['segment.ms', 'unclean.leader.election.enable'] });
  });

  it.each([
    ['TIDINGS_KAFKA_REPLICATION', '0', 'is not a whole number from 1 to 9'],
    ['TIDINGS_KAFKA_REPLICATION', 'brokers', 'is not a whole number from 1 to 9'],
    ['TIDINGS_KAFKA_MIN_ISR', '1.5', 'is not a whole number from 1 to 9'],
    ['TIDINGS_KAFKA_MIN_ISR', '4', 'is above TIDINGS_KAFKA_REPLICATION=3: no record could be appended'],
    ['TIDINGS_KAFKA_TOPIC_CHECK', 'off', 'is none of refuse, warn'],
    ['TIDINGS_KAFKA_MAX_MESSAGE_BYTES', '100', 'is not a whole number from 65536'],
    ['TIDINGS_KAFKA_TOPIC_DEFAULTS', 'cleanup.policy', 'is none of max.compaction.lag.ms'],
  ])('refuse %s=%s', (name, value, reason) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringContaining(reason)]);
  });
});

describe('OAUTHBEARER in the configuration', () => {
  const client = {
    KAFKA_SASL_MECHANISM: 'oauthbearer',
    TIDINGS_KAFKA_OAUTH_TOKEN_URL: 'https://login.example.com/token',
    TIDINGS_KAFKA_OAUTH_CLIENT_ID: 'tidings-identity',
    TIDINGS_KAFKA_OAUTH_CLIENT_SECRET: 'secret',
  };
  const saslOf = (environment: NodeJS.ProcessEnv): unknown => loadConfiguration('identity', { ...SERVICE, ...environment }).kafka!.sasl;

  it('has a client of a token endpoint', () => {
    const extensions = 'logicalCluster=lkc-1, identityPoolId=p';
    expect(saslOf({ ...client, TIDINGS_KAFKA_OAUTH_SCOPE: 'kafka', TIDINGS_KAFKA_OAUTH_EXTENSIONS: extensions })).toEqual({
      mechanism: 'oauthbearer',
      tokens: {
        tokenUrl: 'https://login.example.com/token',
        clientId: 'tidings-identity',
        clientSecret: 'secret',
        scope: 'kafka',
        extensions: { logicalCluster: 'lkc-1', identityPoolId: 'p' },
      },
    });
  });

  it('has a module of the operator instead', () => {
    const module = { KAFKA_SASL_MECHANISM: 'oauthbearer', TIDINGS_KAFKA_OAUTH_MODULE: require.resolve('kafkajs') };
    expect(saslOf(module)).toEqual({ mechanism: 'oauthbearer', tokens: { module: require.resolve('kafkajs') } });
    expect(problemsOf({ ...client, ...module })).toEqual([expect.stringContaining('are both set')]);
    const relative = { ...module, TIDINGS_KAFKA_OAUTH_MODULE: 'token.js' };
    expect(problemsOf(relative)).toContainEqual(expect.stringContaining('is not the absolute path'));
    expect(problemsOf({ TIDINGS_KAFKA_OAUTH_MODULE: require.resolve('kafkajs') })).toEqual([
      'TIDINGS_KAFKA_OAUTH_… is set without KAFKA_SASL_MECHANISM=oauthbearer',
    ]);
  });

  it('is complete', () => {
    expect(problemsOf({ KAFKA_SASL_MECHANISM: 'oauthbearer' })).toEqual([
      'KAFKA_SASL_MECHANISM=oauthbearer is set without TIDINGS_KAFKA_OAUTH_TOKEN_URL or TIDINGS_KAFKA_OAUTH_MODULE',
    ]);
    expect(problemsOf({ ...client, TIDINGS_KAFKA_OAUTH_CLIENT_SECRET: '' })).toEqual([
      'TIDINGS_KAFKA_OAUTH_TOKEN_URL is set without TIDINGS_KAFKA_OAUTH_CLIENT_SECRET',
    ]);
    expect(problemsOf({ KAFKA_SASL_MECHANISM: 'plain' })).toEqual([
      'KAFKA_SASL_MECHANISM is set without KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
    ]);
    expect(problemsOf({ ...client, TIDINGS_KAFKA_OAUTH_EXTENSIONS: 'auth=x' })).toEqual([expect.stringContaining('is not name=value')]);
  });
});
