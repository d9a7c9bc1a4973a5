import 'reflect-metadata';
import { runStandalone } from './run-standalone';
import { startStandalone } from './start-standalone';

/** Everything in one process. */
runStandalone(startStandalone);
