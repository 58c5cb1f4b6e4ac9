/**
 * Whether a query may be asked of a second process while the first one is silent (D343). The table
 * names every resource, so that a new query cannot be hedged unnoticed.
 */
import type { Resource } from './query-map.ts';

/**
 * - `hedged`: it reads the record and changes nothing, so two processes may answer it.
 * - `alone`: it writes, sends mail, or calls somebody else's server.
 */
const WAYS: { readonly [Each in Resource]: 'hedged' | 'alone' } = {
  agendas: 'hedged',
  'audit-page': 'hedged',
  backlogs: 'hedged',
  'channel-check': 'alone',
  channels: 'hedged',
  contact: 'hedged',
  contacts: 'hedged',
  'contacts-rest': 'hedged',
  conversation: 'hedged',
  conversations: 'hedged',
  'conversations-rest': 'hedged',
  'deal-sums': 'hedged',
  deals: 'hedged',
  'deals-rest': 'hedged',
  deliveries: 'hedged',
  'deliveries-page': 'hedged',
  delivery: 'hedged',
  'delivery-owners': 'hedged',
  'due-tasks': 'hedged',
  flow: 'hedged',
  'flow-run': 'hedged',
  'flow-runs': 'hedged',
  'flow-state': 'hedged',
  'flow-states': 'hedged',
  flows: 'hedged',
  'idempotency-claim': 'alone',
  'idempotency-settle': 'alone',
  'inbound-webhook': 'hedged',
  installation: 'hedged',
  'join-spellings': 'alone',
  key: 'hedged',
  'key-owner': 'hedged',
  keys: 'hedged',
  library: 'hedged',
  'library-end': 'alone',
  'library-page': 'hedged',
  'library-part': 'alone',
  media: 'hedged',
  members: 'hedged',
  message: 'hedged',
  'message-place': 'hedged',
  messages: 'hedged',
  'messages-rest': 'hedged',
  operation: 'hedged',
  'organization-refs': 'hedged',
  organizations: 'hedged',
  'own-contact': 'hedged',
  'own-conversation': 'hedged',
  'own-deal': 'hedged',
  'own-delivery': 'hedged',
  'own-message': 'hedged',
  'own-task': 'hedged',
  'panel-conversation': 'hedged',
  'panel-conversations': 'hedged',
  'panel-conversations-rest': 'hedged',
  'phones-on-record': 'hedged',
  pipelines: 'hedged',
  ready: 'hedged',
  'record-checks': 'alone',
  recount: 'alone',
  'sandbox-channels': 'hedged',
  'send-invitation': 'alone',
  'sync-templates': 'alone',
  tags: 'hedged',
  'tags-page': 'hedged',
  tasks: 'hedged',
  'tasks-rest': 'hedged',
  team: 'hedged',
  templates: 'hedged',
  'templates-rest': 'hedged',
  'upload-end': 'alone',
  'upload-part': 'alone',
};

const HEDGED: ReadonlySet<string> = new Set(
  Object.entries(WAYS).flatMap(([resource, way]) => (way === 'hedged' ? [resource] : [])),
);

/** False for a resource that this version does not know. */
export function mayHedge(resource: string): boolean {
  return HEDGED.has(resource);
}
