"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.createTestDatabase = createTestDatabase;
const node_crypto_1 = require("node:crypto");
const provision_1 = require("@tidings/persistence/provision");
const pg_1 = require("pg");
const postgres_of_run_1 = require("./jest/postgres-of-run");
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * A fresh database on the PostgreSQL of this jest run, with schemas and roles. Every call makes another one, so spec files
 * and stories never meet.
 */
async function createTestDatabase({ migrate } = {}) {
    const cluster = process.env[postgres_of_run_1.TEST_POSTGRES_URL];
    if (!cluster)
        throw new Error(`${postgres_of_run_1.TEST_POSTGRES_URL} is not set: the jest configuration of this project must come from jest.preset.cjs`);
    const name = `test_${process.env.JEST_WORKER_ID ?? '0'}_${(0, node_crypto_1.randomBytes)(6).toString('hex')}`;
    if (!migrate)
        return freshDatabase(cluster, name);
    const template = await templateOf(cluster, migrate);
    await onCluster(cluster, (client) => client.query(`CREATE DATABASE ${quoted(name)} TEMPLATE ${quoted(template)}`));
    // What a role may do with a database as such is not part of a copy.
    return provisioned(cluster, name);
}
async function freshDatabase(cluster, name) {
    await onCluster(cluster, (client) => client.query(`CREATE DATABASE ${quoted(name)}`));
    return provisioned(cluster, name);
}
/** The template of a key; the first worker that asks makes it, the others wait for it. */
function templateOf(cluster, { key, run }) {
    const digest = (0, node_crypto_1.createHash)('sha256').update(key).digest('hex');
    const name = `template_${digest.slice(0, 40)}`;
    return onCluster(cluster, async (client) => {
        await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
        const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
        if (rowCount)
            return name;
        const draft = await freshDatabase(cluster, `draft_${(0, node_crypto_1.randomBytes)(6).toString('hex')}`);
        try {
            await run(draft);
        }
        catch (error) {
            await draft.drop();
            throw error;
        }
        // Under its name it is finished: a migration that fails half-way leaves no template.
        await client.query(`ALTER DATABASE ${quoted(nameOf(draft))} RENAME TO ${quoted(name)}`);
        return name;
    });
}
async function provisioned(cluster, name) {
    const adminUrl = urlFor(cluster, name);
    const urls = await (0, provision_1.provisionDatabase)(adminUrl, { passwords: passwordsOf(cluster) });
    return {
        adminUrl,
        urlOf: (role) => urls[role],
        drop: async () => {
            await onCluster(cluster, (client) => client.query(`DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`));
        },
    };
}
/** Roles belong to the cluster and outlive databases: every worker must come to the same passwords. */
function passwordsOf(cluster) {
    const secret = new URL(cluster).password;
    const passwords = provision_1.PROVISIONED_ROLES.map((role) => [role, (0, node_crypto_1.createHmac)('sha256', secret).update(role).digest('base64url')]);
    return Object.fromEntries(passwords);
}
async function onCluster(url, work) {
    const client = new pg_1.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    await client.connect();
    try {
        return await work(client);
    }
    finally {
        await client.end();
    }
}
function urlFor(cluster, database) {
    const url = new URL(cluster);
    url.pathname = `/${database}`;
    return url.href;
}
const nameOf = ({ adminUrl }) => new URL(adminUrl).pathname.slice(1);
/** Names are made here and hold neither quotes nor NUL. */
const quoted = (name) => `"${name}"`;
//# sourceMappingURL=database.js.map