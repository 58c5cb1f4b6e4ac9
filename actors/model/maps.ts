/**
 * All that actors ask of each other, by kind. `shared` knows no actor: its map of commands is
 * completed here, and nowhere else. What they store is in `collections.ts`.
 */
import type { AskedOfChannels } from './channel.ts';
import type { AskedOfContacts } from './contact.ts';
import type { AskedOfConversations } from './conversation.ts';
import type { AskedOfDeals } from './deal.ts';
import type { AskedOfOrganizations } from './organization.ts';
import type { AskedOfSubscriptions } from './subscription.ts';

declare module '../../shared/wire/command-map.ts' {
  interface ChannelCommands extends AskedOfChannels {}
  interface ContactCommands extends AskedOfContacts {}
  interface ConversationCommands extends AskedOfConversations {}
  interface DealCommands extends AskedOfDeals {}
  interface OrganizationCommands extends AskedOfOrganizations {}
  interface SubscriptionCommands extends AskedOfSubscriptions {}
}
