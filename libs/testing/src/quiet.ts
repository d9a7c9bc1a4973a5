import { Logger } from '@nestjs/common';

// Specs provoke errors on purpose; what the product says about them is shown only when it is asked for.
if (!process.env.TIDINGS_TEST_LOG) Logger.overrideLogger(false);
