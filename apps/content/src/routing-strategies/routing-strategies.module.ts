import { Module } from '@nestjs/common';
import { RoutingStrategiesHandlers } from './routing-strategies.handlers';

/** Routing strategies. */
@Module({ controllers: [RoutingStrategiesHandlers] })
export class RoutingStrategiesModule {}
