/** Shipped before these rules: a database that has them does not run them again, and in a new one their tables are empty. */
export const SHIPPED: readonly string[] = [
  'PublishHistory1764000000001',
  'ExtendMessages1764000000002',
  'DescribeApiKeys1764000000041',
  'IndexEventMappings1764000002003',
  'OpenMessages1766000000000',
  'KeyAfterIndexes1767000000000',
  'ReleaseDeliveries1795900000000',
  'KeepLastAnswers1795905600000',
  'IndexOpenBulkJobs1795911600000',
  'ExtendAuditEvents1796000000002',
  'EscapeSealedTexts1796600000000',
];
