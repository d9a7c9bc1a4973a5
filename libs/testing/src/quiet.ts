import { Logger } from '@nestjs/common';

// Specs provoke errors; their log lines are shown only with TIDINGS_TEST_LOG.
if (!process.env.TIDINGS_TEST_LOG) Logger.overrideLogger(false);
