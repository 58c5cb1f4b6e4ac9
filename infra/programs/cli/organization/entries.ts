/** `recado orgs|channels|members|tags|flows|pipelines list`: the entries of an installation. */
import type { Command } from 'commander';
import * as v from 'valibot';
import type { ListEntriesCommand } from '../../../../shared/provisioning/commands.ts';
import { group } from '../output/group.ts';
import { fromNow } from '../output/humanize.ts';
import { addList, type Listed, type OfList } from '../output/lists.ts';
import type { Row } from '../output/print.ts';
import type { Printing } from '../output/printing.ts';
import { listSchema, readAnswer } from '../service/answer.ts';
import { badInput } from '../service/failure.ts';
import { askOrganization, findOrganization, named } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';
import { addMembers } from './members.ts';

const rowsSchema = v.array(v.record(v.string(), v.unknown()));

async function readOrganizations(service: Service): Promise<Listed> {
  return { data: readAnswer(rowsSchema, await service.query('organizations', {})) };
}

export async function readEntries(
  service: Service,
  orgId: string,
  list: ListEntriesCommand['list'],
): Promise<Listed> {
  const answer = await askOrganization(service, orgId, { type: 'entries.list', list });
  return readAnswer(listSchema, answer);
}

const channelsSchema = v.array(v.looseObject({ id: v.string(), ref: v.string() }));

/** The id of the channel that an option names by `ref` or id. */
export async function channelId(service: Service, orgId: string, name: string): Promise<string> {
  const { data } = await readEntries(service, orgId, 'channels');
  const found = named(v.parse(channelsSchema, data), name);
  if (!found) throw badInput('--channel', `there is no channel "${name}"`);
  return found.id;
}

/** Tags of an organization; all of them without a limit. */
export async function readTags(service: Service, orgId: string, limit?: number): Promise<Listed> {
  const asked = { orgId, ...(limit !== undefined && { limit }) };
  return readAnswer(listSchema, await service.query('tags', asked));
}

/** With the refs of their channels. */
async function readFlows(service: Service, orgId: string): Promise<Listed> {
  const [flows, channels] = await Promise.all([
    readEntries(service, orgId, 'flows'),
    readEntries(service, orgId, 'channels'),
  ]);
  const refs = new Map(channels.data.map(({ id, ref }) => [id, ref]));
  return {
    data: flows.data.map((flow) => ({ ...flow, channel: refs.get(flow.channelId) ?? null })),
  };
}

async function readPipelines(service: Service, orgId: string): Promise<Listed> {
  return readAnswer(listSchema, await service.query('pipelines', { orgId }));
}

const namedSchema = v.array(v.looseObject({ name: v.string() }));
const triggersSchema = v.array(v.looseObject({ on: v.string() }));

function channelRow({ id, ref, label, provider, phone, ...state }: Row): Row {
  const able = state.restriction === undefined ? 'yes' : 'yes, restricted';
  const ready = state.ready === true ? able : `no: ${state.reason}`;
  return { id, ref, label, provider, phone, ready };
}

function flowRow(flow: Row, now: number): Row {
  const { id, ref, name, enabled, channel, isMain, stepCount: steps } = flow;
  const triggers = v.parse(triggersSchema, flow.triggers).map(({ on }) => on);
  const changed = fromNow(String(flow.updatedAt), now);
  return { id, ref, name, enabled, channel, isMain, triggers, steps, changed };
}

function pipelineRow({ id, name, isDefault, stages }: Row): Row {
  const names = v.parse(namedSchema, stages).map((stage) => stage.name);
  return { id, name, isDefault, stages: names.join(', ') };
}

export function addEntries(program: Command, printing: Printing, now: () => number): void {
  const ofOne =
    (read: (service: Service, orgId: string, limit?: number) => Promise<Listed>) =>
    async (service: Service, { org, limit }: OfList) =>
      read(service, await findOrganization(service, org), limit);
  addList(group(program, 'orgs', 'organizations'), printing, {
    description: 'lists the organizations of the installation',
    ofAll: true,
    read: readOrganizations,
    row: ({ id, ref, name, timeZone, country }) => ({ id, ref, name, timeZone, country }),
  });
  addList(group(program, 'channels', "an organization's channels"), printing, {
    description: 'lists the channels of an organization, and why one is not ready',
    read: ofOne((service, orgId) => readEntries(service, orgId, 'channels')),
    row: channelRow,
    fit: 'wrap',
  });
  addMembers(program, printing);
  addList(group(program, 'tags', "an organization's tags"), printing, {
    description: 'lists the tags of an organization',
    read: ofOne(readTags),
    row: ({ ref }) => ({ ref }),
  });
  addList(group(program, 'flows', "an organization's flows"), printing, {
    description: 'lists the flows of an organization',
    read: ofOne(readFlows),
    row: (flow) => flowRow(flow, now()),
  });
  addList(group(program, 'pipelines', "an organization's pipelines"), printing, {
    description: 'lists the pipelines of an organization and their stages',
    read: ofOne(readPipelines),
    row: pipelineRow,
    fit: 'wrap',
  });
}
