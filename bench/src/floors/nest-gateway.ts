import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Headers, Inject, Module, NotFoundException, Param, UnauthorizedException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientKafka } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { firstValueFrom } from 'rxjs';
import { serve } from '../worker';
import { clientOf, type NestKafka, type RetrieveProfile } from './nest-profiles';

export interface NestGatewayOptions extends NestKafka {
  /** The only accepted key, and its workspace. */
  key: string;
  workspaceId: string;
}

export type NestGatewayCommands = { listen(options: NestGatewayOptions): Promise<{ port: number }> };

let app: NestFastifyApplication | undefined;
let client: ClientKafka | undefined;

/** A gateway as in Nest's documentation: a controller on Fastify that sends over Nest's Kafka client. */
async function listen({ key, workspaceId, ...kafka }: NestGatewayOptions): Promise<{ port: number }> {
  const connected = new ClientKafka(clientOf('gateway', kafka));
  client = connected;
  connected.subscribeToResponseOf(kafka.pattern);
  await connected.connect();
  const expected = `Bearer ${key}`;

  @Controller('profiles')
  class ProfilesController {
    constructor(@Inject(ClientKafka) private readonly service: ClientKafka) {}

    @Get(':user_id')
    async retrieve(@Param('user_id') userId: string, @Headers('authorization') authorization?: string): Promise<{ profile?: unknown }> {
      if (authorization !== expected) throw new UnauthorizedException();
      const request: RetrieveProfile = { workspaceId, userId };
      const answer = await firstValueFrom(this.service.send<{ profile?: unknown }, RetrieveProfile>(kafka.pattern, request));
      if (!answer.profile) throw new NotFoundException();
      return answer;
    }
  }

  @Module({ controllers: [ProfilesController], providers: [{ provide: ClientKafka, useValue: connected }] })
  class GatewayModule {}

  app = await NestFactory.create<NestFastifyApplication>(GatewayModule, new FastifyAdapter(), { abortOnError: false });
  await app.listen(0, '127.0.0.1');
  return { port: (app.getHttpServer().address() as AddressInfo).port };
}

serve<NestGatewayCommands>({ listen }, async () => {
  app?.getHttpServer().closeAllConnections();
  await app?.close();
  await client?.close();
});
