"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.PostgresOfRun = exports.TEST_POSTGRES_URL = void 0;
const node_child_process_1 = require("node:child_process");
const node_fs_1 = require("node:fs");
const node_os_1 = require("node:os");
const node_path_1 = require("node:path");
// Relative: jest maps @tidings/* in specs, but not in what its global set-up loads, and tests must not need a build.
const embedded_postgres_1 = require("../../../runtime/src/embedded-postgres");
/** How specs find the run's PostgreSQL: its superuser's URL. Not named TIDINGS_*, which a started process would refuse. */
exports.TEST_POSTGRES_URL = 'TEST_POSTGRES_URL';
/** Which npm package (or alias) the run's PostgreSQL comes from; `embedded-postgres-15` is the oldest version promised. */
const PACKAGE_VARIABLE = 'TIDINGS_TEST_POSTGRES';
const CONNECTIONS_MAX = 250;
/** The one PostgreSQL of a jest run, in a temporary folder. */
class PostgresOfRun {
    constructor(server, directory, guard) {
        this.server = server;
        this.directory = directory;
        this.guard = guard;
    }
    static async start() {
        const directory = (0, node_fs_1.mkdtempSync)((0, node_path_1.join)((0, node_os_1.tmpdir)(), 'tidings-test-postgres-'));
        try {
            const server = await embedded_postgres_1.EmbeddedPostgres.start({
                directory,
                durable: false,
                packageName: process.env[PACKAGE_VARIABLE] || undefined,
                settings: { max_connections: CONNECTIONS_MAX },
            });
            process.env[exports.TEST_POSTGRES_URL] = server.adminUrl;
            return new PostgresOfRun(server, directory, startGuard(server.pid, directory));
        }
        catch (error) {
            (0, node_fs_1.rmSync)(directory, { recursive: true, force: true });
            throw error;
        }
    }
    async stop() {
        delete process.env[exports.TEST_POSTGRES_URL];
        this.guard?.stdin?.end('done\n');
        await this.server.stop();
        (0, node_fs_1.rmSync)(this.directory, { recursive: true, force: true });
    }
}
exports.PostgresOfRun = PostgresOfRun;
/**
 * A run that is killed or interrupted never reaches its end: a shell that reads from us notices that we are gone, stops the
 * server and removes its folder.
 */
function startGuard(pid, directory) {
    if (process.platform === 'win32')
        return undefined;
    const script = `
    read -r word
    [ "$word" = done ] && exit 0
    kill -QUIT "$1" 2>/dev/null
    tries=0
    while kill -0 "$1" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    rm -rf -- "$2"
  `;
    const guard = (0, node_child_process_1.spawn)('/bin/sh', ['-c', script, 'sh', String(pid), directory], {
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
        cwd: '/',
    });
    guard.unref();
    guard.stdin.unref(); // a socket, though typed as a stream
    return guard;
}
//# sourceMappingURL=postgres-of-run.js.map