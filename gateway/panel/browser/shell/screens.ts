/** Table of the screens: path, name in the navigation, roles, and the chunk that is loaded. */
import type { ComponentType } from 'preact';
import { TEXT } from '../sentences.ts';
import type { Role } from '../session.ts';

export interface Screen {
  /** First segment of the path. */
  readonly path: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** It shows no organization. */
  readonly ofInstallation?: boolean;
  readonly load: () => Promise<ComponentType>;
}

const EVERYONE: readonly Role[] = ['admin', 'attendant', 'viewer', 'operator'];
const ADMINISTRATORS: readonly Role[] = ['admin', 'operator'];
const { navigation } = TEXT;

const SCREENS: readonly Screen[] = [
  {
    path: 'conversas',
    name: navigation.conversations,
    roles: EVERYONE,
    load: async () => (await import('../conversations/conversations.tsx')).Conversations,
  },
  {
    path: 'negocios',
    name: navigation.deals,
    roles: EVERYONE,
    load: async () => (await import('../deals/deals.tsx')).Deals,
  },
  {
    path: 'contatos',
    name: navigation.contacts,
    roles: EVERYONE,
    load: async () => (await import('../contacts/contacts.tsx')).Contacts,
  },
  {
    path: 'tarefas',
    name: navigation.tasks,
    roles: EVERYONE,
    load: async () => (await import('../tasks/tasks.tsx')).Tasks,
  },
  {
    path: 'fluxos',
    name: navigation.flows,
    roles: EVERYONE,
    load: async () => (await import('../flows/flows.tsx')).Flows,
  },
  {
    path: 'canais',
    name: navigation.channels,
    roles: EVERYONE,
    load: async () => (await import('../channels/channels.tsx')).Channels,
  },
  {
    path: 'integracoes',
    name: navigation.integrations,
    roles: ADMINISTRATORS,
    load: async () => (await import('../integrations/integrations.tsx')).Integrations,
  },
  {
    path: 'equipe',
    name: navigation.team,
    roles: ADMINISTRATORS,
    load: async () => (await import('../team/team.tsx')).Team,
  },
  {
    path: 'operacao',
    name: navigation.operation,
    roles: ['operator'],
    ofInstallation: true,
    load: async () => (await import('../operation/operation.tsx')).Operation,
  },
];

export function screensOf(role: Role): readonly Screen[] {
  return SCREENS.filter(({ roles }) => roles.includes(role));
}
