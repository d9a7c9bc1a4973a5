import type { Database } from '@tidings/persistence/database';
import { MessageWriter } from '../testing/message-writer';
import { Messaging } from '../testing/start-messaging';

let messaging: Messaging;
let writer: MessageWriter;

beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start(); // creates the tables; no service reads them afterwards
  await messaging.stop();
  writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
});
afterEach(() => sql('truncate messaging.deliveries, messaging.open_messages, messaging.expansions, messaging.messages'));
afterAll(async () => {
  await writer.close();
  await messaging.end();
});

/** Runs a statement on the tables, which each test finds empty. */
export const sql: Messaging['rows'] = (...statement) => messaging.rows(...statement);

/** The service's own view of the tables. */
export const database = (): Database => writer.database;
