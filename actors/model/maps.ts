/**
 * All that actors store and ask of each other, by collection and by kind. `shared` knows no actor:
 * its maps of documents and of commands are completed here, and nowhere else.
 */
import type { AskedOfChannels, ChannelCollections } from './channel.ts';
import type { AskedOfContacts, ContactCollections } from './contact.ts';
import type {
  AskedOfConversations,
  ConversationCollections,
  ConversationShardKeys,
} from './conversation.ts';
import type { CounterCollections } from './counter.ts';
import type { DealCollections } from './deal.ts';
import type { CompletedCollections } from './entity.ts';
import type { FlowCollections } from './flow.ts';
import type { IdempotencyCollections } from './idempotency.ts';
import type { AskedOfOrganizations, OrganizationCollections } from './organization.ts';
import type { PersonCollections } from './person.ts';
import type { AskedOfSubscriptions, SubscriptionCollections } from './subscription.ts';
import type { TaskCollections } from './task.ts';
import type { TemplateCollections } from './template.ts';

declare module '../../shared/ports/store.ts' {
  interface Collections
    extends ChannelCollections,
      CompletedCollections,
      ContactCollections,
      ConversationCollections,
      CounterCollections,
      DealCollections,
      FlowCollections,
      IdempotencyCollections,
      OrganizationCollections,
      PersonCollections,
      SubscriptionCollections,
      TaskCollections,
      TemplateCollections {}

  interface ShardKeys extends ConversationShardKeys {}
}

declare module '../../shared/wire/command-map.ts' {
  interface ChannelCommands extends AskedOfChannels {}
  interface ContactCommands extends AskedOfContacts {}
  interface ConversationCommands extends AskedOfConversations {}
  interface OrganizationCommands extends AskedOfOrganizations {}
  interface SubscriptionCommands extends AskedOfSubscriptions {}
}
