/** Table of the screens: path, name in the navigation, roles, and the chunk that is loaded. */
import type { ComponentType } from 'preact';
import { TEXT } from '../sentences.ts';
import type { Role } from '../session.ts';

export interface Screen {
  /** First segment of the path. */
  readonly path: string;
  readonly name: string;
  /** Lines of its drawing, in a square of 16. */
  readonly icon: string;
  readonly roles: readonly Role[];
  /** It shows no organization. */
  readonly ofInstallation?: boolean;
  readonly load: () => Promise<ComponentType>;
}

const EVERYONE: readonly Role[] = ['admin', 'attendant', 'viewer', 'operator'];
const ADMINISTRATORS: readonly Role[] = ['admin', 'operator'];
const { navigation } = TEXT;

/** The screen of the conversations. */
export const HOME = 'conversas';

const SCREENS: readonly Screen[] = [
  {
    path: HOME,
    name: navigation.conversations,
    icon: 'M2.5 3.5h11v7H8l-3 2.5v-2.5H2.5z',
    roles: EVERYONE,
    load: async () => (await import('../conversations/conversations.tsx')).Conversations,
  },
  {
    path: 'negocios',
    name: navigation.deals,
    icon: 'M2.5 3h3v10h-3zM6.5 3h3v7h-3zM10.5 3h3v5h-3z',
    roles: EVERYONE,
    load: async () => (await import('../deals/deals.tsx')).Deals,
  },
  {
    path: 'contatos',
    name: navigation.contacts,
    icon: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.6-2.6 2.5-4 5-4s4.4 1.4 5 4',
    roles: EVERYONE,
    load: async () => (await import('../contacts/contacts.tsx')).Contacts,
  },
  {
    path: 'tarefas',
    name: navigation.tasks,
    icon: 'M3 3h10v10H3zM5.5 8l2 2 3.5-4',
    roles: EVERYONE,
    load: async () => (await import('../tasks/tasks.tsx')).Tasks,
  },
  {
    path: 'fluxos',
    name: navigation.flows,
    icon: 'M2.5 2.5h5V6h-5zM8.5 10h5v3.5h-5zM5 6v5.75h3.5',
    roles: EVERYONE,
    load: async () => (await import('../flows/flows.tsx')).Flows,
  },
  {
    path: 'canais',
    name: navigation.channels,
    icon: 'M5 1.5h6v13H5zM7 12.5h2',
    roles: EVERYONE,
    load: async () => (await import('../channels/channels.tsx')).Channels,
  },
  {
    path: 'integracoes',
    name: navigation.integrations,
    icon: 'M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4',
    roles: ADMINISTRATORS,
    load: async () => (await import('../integrations/integrations.tsx')).Integrations,
  },
  {
    path: 'equipe',
    name: navigation.team,
    icon: 'M6 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM2 13c.4-2.3 1.8-3.5 4-3.5s3.6 1.2 4 3.5M10.5 7.3a2 2 0 0 0 0-4M11.5 9.6c1.4.4 2.2 1.5 2.5 3.4',
    roles: ADMINISTRATORS,
    load: async () => (await import('../team/team.tsx')).Team,
  },
  {
    path: 'operacao',
    name: navigation.operation,
    icon: 'M1.5 8.5h3l2-5 3 9 2-4h3',
    roles: ['operator'],
    ofInstallation: true,
    load: async () => (await import('../operation/operation.tsx')).Operation,
  },
];

export function screensOf(role: Role): readonly Screen[] {
  return SCREENS.filter(({ roles }) => roles.includes(role));
}
