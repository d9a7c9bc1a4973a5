/**
 * `node draw-secrets.mjs <folder>`: the secrets of docker-compose.yml, one file each in the folders of the services that read it; those
 * folders exist. A secret that the environment sets replaces the earlier one; any other is drawn once and stays. Only the account that
 * runs this can read the files.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const OWNERS = ['identity', 'audience', 'messaging', 'content'];
const OWNER_ONLY = 0o600;

const [, , folder] = process.argv;
if (!folder) throw new Error('A folder is required: node draw-secrets.mjs <folder>');

const admin = secret('POSTGRES_PASSWORD', ['postgres']);
write('migrate', 'ADMIN_DATABASE_URL', databaseUrl('postgres', admin));
for (const service of OWNERS) {
  const password = secret(`${service.toUpperCase()}_PASSWORD`, ['migrate']);
  write(service, 'DATABASE_URL', databaseUrl(`tidings_${service}`, password));
}
const kafkaUsers = {
  admin: secret('KAFKA_ADMIN_PASSWORD', ['kafka-access'], draw, 'KAFKA_SASL_PASSWORD'),
  'history-reader': secret('KAFKA_READER_PASSWORD', ['kafka']), // for consumers outside the containers
};
for (const service of ['gateway', ...OWNERS]) {
  kafkaUsers[`tidings-${service}`] = secret(`KAFKA_${service.toUpperCase()}_PASSWORD`, [service], draw, 'KAFKA_SASL_PASSWORD');
}
write('kafka', 'SASL_USERS', loginModule(kafkaUsers));
secret('TIDINGS_API_KEY', ['identity'], () => `pk_prod_${draw()}`);
secret('TIDINGS_RPC_SECRET', ['gateway', ...OWNERS]);
secret('TIDINGS_SECRET_KEY', ['gateway', 'identity', 'messaging', 'content']);

/** The value of a secret, which its readers get in `file`: that of the environment, the earlier one, or a new one. */
function secret(name, readers, drawOne = draw, file = name) {
  const value = process.env[name] || earlier(readers[0], file) || drawOne();
  for (const reader of readers) write(reader, file, value);
  return value;
}

/** 256 bits in hex, which any of the variables accepts. */
function draw() {
  return randomBytes(32).toString('hex');
}

function databaseUrl(role, password) {
  return `postgresql://${role}:${encodeURIComponent(password)}@postgres:5432/tidings`;
}

/** Kafka's users and passwords, as the value of `sasl.jaas.config` for SASL/PLAIN. */
function loginModule(users) {
  const options = Object.entries(users).map(([name, password]) => `user_${name}="${password.replaceAll(/["\\]/g, '\\$&')}"`);
  return `org.apache.kafka.common.security.plain.PlainLoginModule required ${options.join(' ')};`;
}

function earlier(service, name) {
  const file = path.join(folder, service, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

/** Replaces the file as a whole: a secret is never lost in the middle of a write. */
function write(service, name, value) {
  const file = path.join(folder, service, name);
  writeFileSync(`${file}.new`, `${value}\n`, { mode: OWNER_ONLY });
  renameSync(`${file}.new`, file);
}
