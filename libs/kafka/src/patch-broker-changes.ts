import { setTimeout as delay } from 'node:timers/promises';

/** The part of kafkajs' consumer group that is patched here. */
interface ConsumerGroup {
  readonly groupId: string;
  readonly cluster: { findGroupCoordinator(group: { groupId: string }): Promise<unknown>; refreshMetadata(): Promise<void> };
  readonly instrumentationEmitter: { emit(event: string, payload: object): void };
  coordinator: unknown;
  heartbeat(options: { interval: number }): Promise<void>;
  fetch(nodeId: string): Promise<unknown>;
  recoverFromFetch(error: KafkaError): Promise<void>;
}

/** The part of kafkajs' consumer that fetches. */
interface Runner {
  readonly consumerGroup: Pick<ConsumerGroup, 'cluster'>;
  readonly fetchManager: { start: (() => Promise<void>) & { reconnects?: true } };
  scheduleFetchManager(): void;
}

interface Connection {
  readonly requestQueue: { readonly instrumentationEmitter: ConsumerGroup['instrumentationEmitter'] | null };
  connect(): Promise<boolean>;
}

interface KafkaError {
  readonly type?: string;
  /** Of the operating system. Example: "ECONNREFUSED". */
  readonly code?: string;
  readonly name: string;
  readonly cause?: KafkaError;
}

/** Payload of kafkajs' event of a fetch, with what is added here. */
export interface PatchedFetchEvent {
  readonly nodeId?: unknown;
  readonly failed?: boolean;
  /** Instead of a fetch a connection to some broker was refused. */
  readonly refused?: boolean;
}

const { prototype } = require('kafkajs/src/consumer/consumerGroup') as { prototype: ConsumerGroup };
const { prototype: runner } = require('kafkajs/src/consumer/runner') as { prototype: Runner };
const { prototype: connection } = require('kafkajs/src/network/connection') as { prototype: Connection };
const events = require('kafkajs/src/consumer/instrumentationEvents') as { events: { FETCH: string } };
const { heartbeat, fetch, recoverFromFetch } = prototype;

/** The group's coordinator is another broker now. */
const COORDINATOR_MOVED = ['NOT_COORDINATOR_FOR_GROUP', 'GROUP_COORDINATOR_NOT_AVAILABLE'];
/** The new one still reads the group's state; the session of a member begins when it has. */
const COORDINATOR_LOADS = 'GROUP_LOAD_IN_PROGRESS';
const DISCONNECTED = ['KafkaJSConnectionClosedError', 'KafkaJSConnectionError'];
/** No broker that the client knows accepts a connection. */
const UNREACHABLE = [...DISCONNECTED, 'KafkaJSNoBrokerAvailableError'];
const RECONNECT_PAUSE_MS = 100;
/** The partition's leader is another broker now. */
const LEADER_MOVED = ['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE', 'FENCED_LEADER_EPOCH', 'UNKNOWN_LEADER_EPOCH'];
/** Brokers learn of a new leader one after the other, so the next metadata may still have the former. */
const LEADER_PAUSE_MS = 50;

/**
 * A broker that stops hands its groups over with their members: a member stays in its group if its heartbeats go to the new coordinator.
 * kafkajs 2.2.4 looks for a coordinator at a join alone. Its member fails, and the next one waits until the session of the first has ended.
 */
prototype.heartbeat = async function (options) {
  try {
    await heartbeat.call(this, options);
  } catch (error) {
    const { type = '', name } = error as KafkaError;
    if (type === COORDINATOR_LOADS) return;
    if (!COORDINATOR_MOVED.includes(type) && !DISCONNECTED.includes(name)) throw error;
    this.coordinator = await this.cluster.findGroupCoordinator({ groupId: this.groupId });
  }
};

/** A new leader changes no assignment. kafkajs 2.2.4 joins the group again, for which all its members interrupt their reading. */
prototype.recoverFromFetch = async function (error) {
  if (!LEADER_MOVED.includes(error.type ?? '')) return recoverFromFetch.call(this, error);
  await delay(LEADER_PAUSE_MS);
  await this.cluster.refreshMetadata();
};

/** The event of a fetch comes for one that failed too, with `failed`: kafkajs 2.2.4 omits it. */
prototype.fetch = async function (nodeId) {
  try {
    return await fetch.call(this, nodeId);
  } catch (error) {
    this.instrumentationEmitter.emit(events.events.FETCH, { nodeId, numberOfBatches: 0, duration: 0, failed: true });
    throw error;
  }
};

const { connect } = connection;

/** The events of a consumer show that a connection was refused: kafkajs 2.2.4 tries again for seconds before its fetch fails. */
connection.connect = async function () {
  try {
    return await connect.call(this);
  } catch (error) {
    // A broker that is frozen accepts the connection, or the attempt times out without a code.
    if ((error as KafkaError).code) this.requestQueue.instrumentationEmitter?.emit(events.events.FETCH, { refused: true });
    throw error;
  }
};

const { scheduleFetchManager } = runner;

/**
 * A member whose brokers cannot be reached tries again until its owner replaces it: a broker that comes back knows the member and
 * its partitions. kafkajs 2.2.4 ends it after 0.5 s; the next one waits until the session of the first has ended.
 */
runner.scheduleFetchManager = function () {
  const { consumerGroup, fetchManager } = this;
  const { start } = fetchManager;
  if (!start.reconnects) {
    const reconnecting = (): Promise<void> =>
      start().catch(async (error: KafkaError) => {
        if (!isUnreachable(error)) throw error;
        await delay(RECONNECT_PAUSE_MS);
        // Other brokers may lead the partitions now. Without any broker the next fetch fails too.
        await consumerGroup.cluster.refreshMetadata().catch(() => undefined);
      });
    fetchManager.start = Object.assign(reconnecting, { reconnects: true as const });
  }
  scheduleFetchManager.call(this);
};

function isUnreachable(error: KafkaError | undefined): boolean {
  return error !== undefined && (UNREACHABLE.includes(error.name) || isUnreachable(error.cause));
}
