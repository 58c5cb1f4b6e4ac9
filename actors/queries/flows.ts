/** GET /api/v1/flows: alphabetical by name, not paginated (C4.10). */
import type { ListFlows } from '../../shared/wire/commands.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { FlowEntry } from '../domain/organization/state.ts';
import { readOrganization } from '../organization/documents.ts';
import { found, type Query } from './answer.ts';

export const listFlows: Query<ListFlows> = async ({ store }, { orgId, channelId, enabled }) => {
  const organization = await readOrganization(store, orgId, ['flows']);
  const flows = (organization?.flows ?? [])
    .filter((flow) => flow.removed !== true)
    .filter((flow) => channelId === null || (flow.channelId ?? channelId) === channelId)
    .filter((flow) => enabled === undefined || flow.enabled === enabled)
    .toSorted(byName);
  return found({ data: flows.map(renderFlow) });
};

const collator = new Intl.Collator('pt-BR');

function byName(a: FlowEntry, b: FlowEntry): number {
  return collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);
}

function renderFlow(flow: FlowEntry): Record<string, unknown> {
  return {
    id: flow.id,
    name: flow.name,
    enabled: flow.enabled,
    channelId: flow.channelId,
    isMain: flow.isMain,
    updatedAt: timestamp(flow.updatedAt),
  };
}
