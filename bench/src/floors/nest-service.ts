import 'reflect-metadata';
import { Controller, Inject, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type KafkaOptions, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { serve } from '../worker';
import { clientOf, type NestKafka, type RetrieveProfile } from './nest-profiles';
import { type ProfileSource, StoredProfiles } from './stored-profiles';

export type NestServiceCommands = { answer(options: NestKafka & ProfileSource): Promise<void> };

let app: INestMicroservice | undefined;
let profiles: StoredProfiles | undefined;

/** A service on Nest's unmodified Kafka transport, with one SELECT per message. */
async function answer({ brokers, pattern, ...source }: NestKafka & ProfileSource): Promise<void> {
  profiles = new StoredProfiles(source);

  @Controller()
  class ProfilesController {
    constructor(@Inject(StoredProfiles) private readonly stored: StoredProfiles) {}

    @MessagePattern(pattern)
    async retrieve(@Payload() { workspaceId, userId }: RetrieveProfile): Promise<{ profile: unknown }> {
      const row = await this.stored.retrieve(userId, workspaceId);
      return { profile: row?.profile };
    }
  }

  @Module({ controllers: [ProfilesController], providers: [{ provide: StoredProfiles, useValue: profiles }] })
  class ServiceModule {}

  app = await NestFactory.createMicroservice<KafkaOptions>(ServiceModule, {
    transport: Transport.KAFKA,
    options: clientOf('service', { brokers, pattern }),
    abortOnError: false,
  });
  await app.listen();
}

serve<NestServiceCommands>({ answer }, async () => {
  await app?.close();
  await profiles?.close();
});
