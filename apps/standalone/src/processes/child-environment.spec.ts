import { childEnvironment } from './child-environment';

const LAUNCHERS = {
  PATH: '/bin',
  DATABASE_URL: 'postgresql://admin:secret@db/tidings',
  TIDINGS_API_KEY: 'pk_prod_of_the_first_workspace',
  TIDINGS_SMTP_URL: 'smtp://mail.example.com',
  KAFKA_SASL_PASSWORD: 'secret',
  LOG_LEVEL: 'debug',
};

describe('the environment of an app', () => {
  it('contains the variables of the app, and unknown ones', () => {
    expect(childEnvironment('gateway', { PORT: '1' }, LAUNCHERS)).toEqual({
      PATH: '/bin',
      PORT: '1',
      KAFKA_SASL_PASSWORD: 'secret',
      LOG_LEVEL: 'debug',
    });
  });

  it('contains no own secret that the app does not read', () => {
    const own = { TIDINGS_SECRET_KEY: 'key' };
    expect(childEnvironment('audience', own, {})).toEqual({});
    expect(childEnvironment('identity', own, {})).toEqual(own);
  });

  it('contains the files of the secrets of the app', () => {
    const files = { TIDINGS_SMTP_URL_FILE: '/run/smtp-url', TIDINGS_RPC_SECRET_FILE: '/run/rpc-secret' };
    expect(childEnvironment('gateway', {}, files)).toEqual({ TIDINGS_RPC_SECRET_FILE: files.TIDINGS_RPC_SECRET_FILE });
    expect(childEnvironment('messaging', {}, files)).toEqual(files);
    expect(childEnvironment('gateway', { TIDINGS_RPC_SECRET: 'own' }, files)).toEqual({ TIDINGS_RPC_SECRET: 'own' });
  });

  it('contains the database URL of the app instead of the administrator’s', () => {
    const { DATABASE_URL, TIDINGS_API_KEY, TIDINGS_SMTP_URL } = childEnvironment('identity', { DATABASE_URL: 'own' }, LAUNCHERS);
    expect({ DATABASE_URL, TIDINGS_API_KEY, TIDINGS_SMTP_URL }).toEqual({
      DATABASE_URL: 'own',
      TIDINGS_API_KEY: LAUNCHERS.TIDINGS_API_KEY,
      TIDINGS_SMTP_URL: undefined,
    });
  });
});
