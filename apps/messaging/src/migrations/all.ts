import { CountMessages1796900000000 } from './count-messages';
import { CountProviderCalls1797000100000 } from './count-provider-calls';
import { CreateBulkJobs1766000017000 } from './create-bulk-jobs';
import { CreateMessages1764000000000 } from './create-messages';
import { CreateRenderingBases1795555000000 } from './create-rendering-bases';
import { CreateProviderEvents1796200000000 } from './create-provider-events';
import { CreateSuppressions1796130000000 } from './create-suppressions';
import { CreateTokenReports1766000006000 } from './create-token-reports';
import { CreateWebhooks1796300000000 } from './create-webhooks';
import { CreateInboundEvents1766000030000 } from './create-inbound-events';
import { CreateProviderConfigurations1764000006000 } from './create-provider-configurations';
import { ExtendMessages1764000000002 } from './extend-messages';
import { CancelRequests1768000019000 } from './cancel-requests';
import { LimitSenders1796000004000 } from './limit-senders';
import { LimitBulkJobs1796000001000 } from './limit-bulk-jobs';
import { NoteClaims1795543800000 } from './note-claims';
import { IndexBulkFailures1797000000000 } from './index-bulk-failures';
import { IndexOpenBulkJobs1795911600000 } from './index-open-bulk-jobs';
import { KeepLastAnswers1795905600000 } from './keep-last-answers';
import { KeyAfterIndexes1767000000000 } from './key-after-indexes';
import { OpenMessages1766000000000 } from './open-messages';
import { ReleaseDeliveries1795900000000 } from './release-deliveries';
import { PauseProviders1796120000000 } from './pause-providers';
import { PublishHistory1764000000001 } from './publish-history';
import { WatchChanges1796000000001 } from './watch-changes';
import { WatchSenders1796000005000 } from './watch-senders';

/** What makes the schema `messaging`, beside the outbox. */
export const MESSAGING_MIGRATIONS = [
  CreateMessages1764000000000,
  PublishHistory1764000000001,
  ExtendMessages1764000000002,
  CreateProviderConfigurations1764000006000,
  OpenMessages1766000000000,
  CreateTokenReports1766000006000,
  CreateInboundEvents1766000030000,
  CreateBulkJobs1766000017000,
  KeyAfterIndexes1767000000000,
  CancelRequests1768000019000,
  NoteClaims1795543800000,
  CreateRenderingBases1795555000000,
  ReleaseDeliveries1795900000000,
  KeepLastAnswers1795905600000,
  IndexOpenBulkJobs1795911600000,
  LimitSenders1796000004000,
  WatchChanges1796000000001,
  WatchSenders1796000005000,
  LimitBulkJobs1796000001000,
  PauseProviders1796120000000,
  CreateSuppressions1796130000000,
  CreateProviderEvents1796200000000,
  CreateWebhooks1796300000000,
  CountMessages1796900000000,
  IndexBulkFailures1797000000000,
  CountProviderCalls1797000100000,
] as const;
